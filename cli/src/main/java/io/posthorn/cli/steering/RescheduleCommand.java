package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Steering;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes the time of a scheduled message. */
@Command(
    name = "reschedule",
    description = "Change the time of a scheduled message. 'parked skip' gives it up instead.")
final class RescheduleCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Parameters(
      index = "1",
      paramLabel = "MESSAGE",
      description = "Id of the message, as 'parked list' shows it.")
  private UUID message = new UUID(0, 0);

  @ArgGroup(multiplicity = "1")
  private Time time = new Time();

  /** The new time: a point in time or a duration from now. */
  static final class Time {
    @Option(
        names = "--at",
        paramLabel = "TIME",
        description = "The new time, for example 2026-01-31T10:00:00Z.")
    private @Nullable Instant at;

    @Option(
        names = "--in",
        paramLabel = "DURATION",
        description = "The new time, from now: 90s, 15m, 2h or 3d.")
    private @Nullable String in;
  }

  @Override
  public void run() {
    Instant at = time.at == null ? Instant.now().plus(duration(time.in)) : time.at;
    Steering.on(where.store()).reschedule(destination, message, at, reason.by());
    answer.value(Map.of("at", at.toString()));
    answer.say("message " + message + " will be sent to " + destination + " at " + Answer.time(at));
  }

  private Duration duration(@Nullable String text) {
    try {
      String upper = String.valueOf(text).toUpperCase(Locale.ROOT);
      return Duration.parse((upper.endsWith("D") ? "P" : "PT") + upper);
    } catch (DateTimeParseException e) {
      throw new ParameterException(
          spec.commandLine(), "--in is not a duration: write 90s, 15m, 2h or 3d", e);
    }
  }
}

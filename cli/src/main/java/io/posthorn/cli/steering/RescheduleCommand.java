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

/** Give a scheduled message another time. */
@Command(
    name = "reschedule",
    description = "Give a scheduled message another time; 'parked skip' gives it up.")
final class RescheduleCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Parameters(
      index = "1",
      paramLabel = "MESSAGE",
      description = "Its id, as 'parked list' shows it.")
  private UUID message = new UUID(0, 0);

  @ArgGroup(multiplicity = "1")
  private Time time = new Time();

  /** One of the two. */
  static final class Time {
    @Option(names = "--at", paramLabel = "TIME", description = "For example 2026-01-31T10:00:00Z.")
    private @Nullable Instant at;

    @Option(names = "--in", paramLabel = "DURATION", description = "From now: 90s, 15m, 2h or 3d.")
    private @Nullable String in;
  }

  @Override
  public void run() {
    Instant at = time.at == null ? Instant.now().plus(duration(time.in)) : time.at;
    Steering.on(where.store()).reschedule(destination, message, at, reason.by());
    answer.value(Map.of("at", at.toString()));
    answer.say("message " + message + " goes to " + destination + " at " + Answer.time(at));
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

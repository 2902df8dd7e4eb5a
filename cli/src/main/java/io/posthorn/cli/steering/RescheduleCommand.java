package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.database.Times;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.steering.Steering;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
      description = "Id of the message, as 'parked list' shows it, or its first digits.")
  private IdPrefix message = IdPrefix.of("0000");

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
    Instant at =
        time.at == null
            ? Instant.now().plus(Times.duration(spec, "--in", String.valueOf(time.in)))
            : time.at;
    OperatorStore store = where.store();
    UUID whole = Ids.ofMessages(store).whole(message);
    Steering.on(store).reschedule(destination, whole, at, reason.by());
    answer.value(Map.of("at", at.toString()));
    answer.say("message " + whole + " will be sent to " + destination + " at " + Answer.time(at));
  }
}

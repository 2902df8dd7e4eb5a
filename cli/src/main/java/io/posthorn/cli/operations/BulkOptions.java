package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.Preview;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How carefully a bulk action is done; who does it, and why. */
public final class BulkOptions {
  private static final long BETWEEN_PROGRESS = Duration.ofMillis(200).toNanos();

  @Option(
      names = "--canary",
      paramLabel = "N",
      description = "So many first; the rest when these have arrived.")
  private int canary;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "At most so many a second; default: as fast as they are delivered.")
  private @Nullable Double rate;

  @Option(
      names = "--stop-at",
      paramLabel = "PERCENT",
      description = "Stop when more than this share has died again; default: 50.")
  private double stopAt = Plan.STOP_AT * 100;

  @Option(
      names = "--background",
      description = "Leave it to the relays, and do not wait; 'operations show' tells how it goes.")
  private boolean background;

  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();

  public Actor by() {
    return reason.by();
  }

  /** Asks, starts it, and works on it until it has ended; what is on its way then goes on. */
  public void run(
      Operations operations, Plan selected, Answer answer, Function<Count, String> question) {
    if (!(stopAt >= 0 && stopAt <= 100)) {
      throw new CommandFailed(
          "nothing was started: --stop-at is %s. Choose a percentage from 0 to 100"
              .formatted(stopAt),
          null);
    }
    Plan plan = selected.withRate(rate).stoppingAt(stopAt / 100);
    if (canary > 0) {
      plan = plan.withCanary(canary);
    }
    Preview preview = operations.preview(plan);
    if (preview.count() == 0) {
      answer.value(OperationText.nothing());
      answer.say("nothing to do: none match");
      return;
    }
    consent.ask(question.apply(Count.exactly(preview.count())) + OperationText.overtaken(preview));
    Operation started = operations.start(plan, reason.by());
    answer.say("operation " + started.id());
    Operation ended = background ? started : follow(operations, started, answer);
    answer.value(OperationText.json(ended));
    answer.say(OperationText.sentence(ended));
    if (ended.state() == Operation.State.STOPPED) {
      throw new CommandFailed(
          "operation %s was stopped: %s. See 'posthorn dead groups', then 'posthorn operations resume %s --why TEXT'"
              .formatted(ended.id(), ended.note(), ended.id()),
          null);
    }
  }

  private static Operation follow(Operations operations, Operation started, Answer answer) {
    long[] next = {System.nanoTime()};
    Operation ended =
        operations.run(
            started.id(),
            now -> {
              if (System.nanoTime() - next[0] >= 0) {
                next[0] = System.nanoTime() + BETWEEN_PROGRESS;
                answer.progress(OperationText.progress(now));
              }
            });
    answer.progress("");
    return ended;
  }
}

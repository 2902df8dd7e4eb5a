package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.core.operate.OperatorStore;
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

/** Options that limit a bulk action, and that say who starts it and why. */
public final class BulkOptions {
  private static final long BETWEEN_PROGRESS = Duration.ofMillis(200).toNanos();

  @Option(
      names = "--canary",
      paramLabel = "N",
      description = "Process N first, and the rest only after these have arrived.")
  private int canary;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Process up to N per second; default: as fast as they are delivered.")
  private @Nullable Double rate;

  @Option(
      names = "--stop-at",
      paramLabel = "PERCENT",
      description = "Stop when more than this percentage has died again; default: 50.")
  private double stopAt = Plan.STOP_AT * 100;

  @Option(
      names = "--background",
      description = "Do not wait: the relays do the work. 'operations show' shows the progress.")
  private boolean background;

  @Mixin private final WaitOptions wait = new WaitOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();

  public Actor by() {
    return reason.by();
  }

  public WaitOptions waiting() {
    return wait;
  }

  /**
   * Asks for confirmation, starts the operation and works on it until it has ended. Messages that
   * are still on their way then are delivered afterwards, unless {@code --wait} is given.
   *
   * @param what what the operation selects, for example "dead letter"
   */
  public void run(
      OperatorStore store,
      Plan selected,
      Answer answer,
      String what,
      Function<Count, String> question) {
    wait.check();
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
    Operations operations = Operations.on(store);
    Preview preview = operations.preview(plan);
    if (preview.count() == 0) {
      answer.value(OperationText.nothing());
      throw new CommandFailed("nothing was done: no " + what + " matches", null);
    }
    consent.ask(question.apply(Count.exactly(preview.count())) + OperationText.overtaken(preview));
    Operation started = operations.start(plan, reason.by());
    answer.say("operation " + started.id());
    Operation ended = background ? started : follow(operations, started, answer);
    OperationEnd.report(store, wait, answer, ended);
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

package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Times;
import io.posthorn.cli.steering.StateText;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options to wait until everything that a command queued was delivered or died again. */
public final class WaitOptions {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);
  private static final Duration STALLED = Duration.ofSeconds(5);

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--wait",
      description =
          "Wait until every message that this queues was delivered or has died again. Exit code 4 if one was not delivered.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "Wait no longer than this: 90s, 15m, 2h. Exit code 5 then; deliveries go on. Default: no limit.")
  private @Nullable String timeout;

  /** How far the deliveries are. */
  public record Progress(long queued, long sent, long died, boolean complete, String text) {}

  public boolean isGiven() {
    return wait;
  }

  /** Fails if the options contradict each other. Call it before anything is changed. */
  public void check() {
    if (!wait && timeout != null) {
      throw new ParameterException(spec.commandLine(), "--timeout needs --wait");
    }
    limit();
  }

  /** Looks until everything has ended, and fails if not everything was delivered. */
  public void await(OperatorStore store, Answer answer, String where, Supplier<Progress> look) {
    Duration limit = limit();
    long began = System.nanoTime();
    long moved = began;
    boolean hinted = false;
    Progress progress = look.get();
    while (!progress.complete()) {
      if (limit != null && System.nanoTime() - began >= limit.toNanos()) {
        answer.progress("");
        throw new CommandFailed(
            Exit.TIMED_OUT,
            "not all was delivered within %3$s: %1$,d of %2$,d on their way; deliveries go on. '%4$s' shows the progress"
                .formatted(open(progress), progress.queued(), timeout, where),
            hints(store));
      }
      answer.progress(progress.text());
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      if (Thread.currentThread().isInterrupted()) {
        throw new CommandFailed("stopped waiting; deliveries go on", null);
      }
      Progress next = look.get();
      moved = open(next) == open(progress) ? moved : System.nanoTime();
      if (!hinted && System.nanoTime() - moved > STALLED.toNanos()) {
        hinted = true;
        answer.note("nothing has arrived for %d s; still waiting".formatted(STALLED.toSeconds()));
        hints(store).lines().forEach(answer::note);
      }
      progress = next;
    }
    answer.progress("");
    if (progress.died() > 0) {
      throw new CommandFailed(
          Exit.DIED,
          "not delivered: %,d of %,d. 'posthorn dead groups' shows why"
              .formatted(progress.died(), progress.queued()),
          "");
    }
  }

  private static long open(Progress progress) {
    return progress.queued() - progress.sent() - progress.died();
  }

  /** Names the destinations that do not send now, because the messages may wait for them. */
  private static String hints(OperatorStore store) {
    StringBuilder hints = new StringBuilder();
    for (DestinationStatus status : Steering.on(store).destinations()) {
      String state = StateText.of(status);
      if (!status.name().equals(RelayStore.UNROUTED) && !state.equals(StateText.RUNNING)) {
        hints.append(status.name()).append(": ").append(state).append('\n');
      }
    }
    return hints.toString().strip();
  }

  private @Nullable Duration limit() {
    return timeout == null ? null : Times.duration(spec, "--timeout", timeout);
  }
}

package io.posthorn.core.relay;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Lane;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether a lane's destination can receive messages. A check runs when the lane is taken,
 * when people change the destination or ask for a check, when the breaker opens or closes, and
 * every minute while something is or may be wrong. What the database refuses the lane for good is
 * stored beside what the connector finds.
 *
 * <p>A finding never stops delivery. People see it, and the engine uses it to decide whether a
 * message fails although the receiver works. All methods are called on the lane's own thread.
 */
final class LaneCheck {
  private static final Logger LOG = LoggerFactory.getLogger(LaneCheck.class);
  private static final long REPEAT_AFTER = Duration.ofMinutes(1).toNanos();

  /** A stuck message is tried again every minute, so what was not refused again by then is over. */
  private static final long REFUSAL_OVER_AFTER = 2 * Refusals.AGAIN_AFTER;

  private final RelayContext context;
  private final Destination destination;
  private final Lane lane;
  private final LaneEngine engine;
  private final Mailbox mailbox;
  private boolean wanted = true;
  private boolean running;
  private boolean notStored;
  private List<Finding> problems = List.of();
  private List<Finding> found = List.of();
  private @Nullable Finding refusal;
  private long refusedAt;
  private long repeatAt;

  LaneCheck(
      RelayContext context,
      Destination destination,
      Lane lane,
      LaneEngine engine,
      Mailbox mailbox) {
    this.context = context;
    this.destination = destination;
    this.lane = lane;
    this.engine = engine;
    this.mailbox = mailbox;
  }

  /** Asks for a check, which starts as soon as a running one has ended. */
  void want() {
    wanted = true;
  }

  /** Says that the database refuses a call of the lane for good, so that people see it. */
  void refused(String what, Reason why) {
    boolean isNew = refusal == null;
    refusal =
        Finding.problem(Reason.of(why.code(), "could not %s: %s".formatted(what, why.text())));
    refusedAt = context.ticker().nanoTime();
    if (isNew) {
      report();
    }
  }

  /** Starts a check if one is due. */
  void startIfDue(long now) {
    boolean failing = engine.breaker().isOpen() || engine.blame().inDoubt();
    boolean wrong = notStored || !problems.isEmpty() || failing || refusal != null;
    if (running || !(wanted || (wrong && now - repeatAt >= 0))) {
      return;
    }
    running = context.checks().start(destination, found -> mailbox.put(() -> found(found, now)));
    if (running) {
      wanted = false;
      repeatAt = now + REPEAT_AFTER;
    }
  }

  private void found(List<Finding> findings, long began) {
    running = false;
    logProblems(findings.stream().filter(Finding::problem).toList());
    // A connector without any finding cannot check.
    engine.blame().checked(problems.isEmpty() && !findings.isEmpty(), began);
    found = findings;
    if (began - refusedAt > REFUSAL_OVER_AFTER) {
      refusal = null;
    }
    report();
  }

  private void report() {
    List<Finding> all = new ArrayList<>(found);
    if (refusal != null) {
      all.add(refusal);
    }
    context.observer().on(new Event.Checked(destination.name(), List.copyOf(all)));
    context.storeThreads().execute(() -> store(all));
  }

  /** Logs problems when they change, and not every minute. */
  private void logProblems(List<Finding> now) {
    if (!now.isEmpty() && !now.equals(problems)) {
      LOG.atWarn()
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("Messages cannot be delivered to destination '{}': {}", destination.name(), now);
    } else if (now.isEmpty() && !problems.isEmpty()) {
      LOG.atInfo()
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("Messages can be delivered to destination '{}' again", destination.name());
    }
    problems = now;
  }

  private void store(List<Finding> findings) {
    boolean failed = false;
    try {
      context.store().checked(lane, findings);
    } catch (PosthornException e) {
      failed = true;
      LOG.atDebug()
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("Lane {}: the result of the check was not stored: {}", lane, e.getMessage());
    }
    boolean again = failed;
    mailbox.put(() -> notStored = again);
  }
}

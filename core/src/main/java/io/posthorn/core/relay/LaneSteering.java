package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.SteeringState;
import io.posthorn.core.trace.LogFields;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What people say about a lane's destination, and what they are told of it: pauses and limits, the
 * state of its breaker, that it is gone. All but {@link #paused}, {@link #appliedId} and {@link
 * #unreachable} is called on the lane's own thread.
 */
final class LaneSteering {
  private static final Logger LOG = LoggerFactory.getLogger(LaneSteering.class);

  private final RelayContext context;
  private final Destination destination;
  private final Lane lane;
  private final LaneEngine engine;
  private final LaneCheck check;
  private final StoreCalls calls;
  private final Runnable onResume;

  private volatile boolean paused;
  private boolean mustRead;
  private boolean breakerStored;
  private boolean storingBreaker;
  private @Nullable Reason gone;
  private boolean pausing;
  private volatile @Nullable UUID appliedId;
  private volatile boolean unreachable;

  /** The last argument is called when a pause is over. */
  LaneSteering(
      RelayContext context,
      Destination destination,
      Lane lane,
      LaneEngine engine,
      LaneCheck check,
      StoreCalls calls,
      Runnable onResume) {
    this.context = context;
    this.destination = destination;
    this.lane = lane;
    this.engine = engine;
    this.check = check;
    this.calls = calls;
    this.onResume = onResume;
  }

  boolean paused() {
    return paused;
  }

  /** The id of what people said last, as far as this lane knows. */
  @Nullable UUID appliedId() {
    return appliedId;
  }

  /** The destination does not answer this relay; another might reach it. */
  boolean unreachable() {
    return unreachable;
  }

  /** People said something that this lane may not know. */
  void readSoon() {
    mustRead = true;
  }

  /** Starts what can be started now; true if anything was. */
  boolean start() {
    boolean started = storeBreaker();
    started |= read();
    started |= pauseIfGone();
    return started;
  }

  /** They said this. */
  void apply(SteeringState steering) {
    boolean over = paused && !steering.paused();
    paused = steering.paused();
    Double rate = steering.ratePerSecond();
    engine.rate(rate == null ? destination.limit().perSecond() : rate);
    if (!steering.id().equals(appliedId)) {
      if (appliedId != null) {
        check.want();
      }
      appliedId = steering.id();
      engine.steer(steering);
    }
    if (over) {
      onResume.run();
    }
  }

  /** Without the lane's lock, so that neither a long send nor a slow settle delays it. */
  private boolean read() {
    if (!mustRead) {
      return false;
    }
    mustRead = false;
    return calls.run(
        "read what people said about it",
        () -> context.store().steered(lane),
        this::apply,
        this::readSoon);
  }

  /** From now on it waits for a person; a row says so, which outlives this relay. */
  private boolean pauseIfGone() {
    Reason now = engine.blame().takeGone();
    gone = now == null ? gone : now;
    Reason why = gone;
    if (why == null || pausing) {
      return false;
    }
    pausing = true;
    return calls.run(
        "pause the destination, which is gone",
        () -> {
          context.store().pause(lane, why);
          return true;
        },
        done -> {
          pausing = false;
          gone = null;
          paused = true;
          mustRead = true;
          LOG.atWarn()
              .addKeyValue(LogFields.DESTINATION, destination.name())
              .addKeyValue(LogFields.REASON, why.code())
              .log(
                  "Destination '{}' is paused until somebody resumes it: {}",
                  destination.name(),
                  why.text());
        },
        () -> pausing = false);
  }

  private boolean storeBreaker() {
    Reason reason = engine.breaker().openReason();
    unreachable = reason != null && engine.breaker().failedProbes() >= 3;
    if (storingBreaker || (reason != null) == breakerStored) {
      return false;
    }
    breakerStored = reason != null;
    storingBreaker = true;
    check.want();
    return calls.run(
        "tell the breaker's state",
        () -> {
          context.store().breaker(lane, Optional.ofNullable(reason));
          return true;
        },
        done -> storingBreaker = false,
        () -> {
          storingBreaker = false;
          breakerStored = !breakerStored;
        });
  }
}

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
 * Applies the pauses and limits that people set for a lane's destination, and stores what people
 * see of it: the state of its breaker, and that it is gone. All methods are called on the lane's
 * own thread, except {@link #paused}, {@link #appliedId} and {@link #unreachable}.
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

  /**
   * @param onResume called when a pause is over
   */
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

  /** The id of the pauses and limits that this lane applies; null if it knows none yet. */
  @Nullable UUID appliedId() {
    return appliedId;
  }

  /** Whether the destination does not answer this relay; another relay might reach it. */
  boolean unreachable() {
    return unreachable;
  }

  /** Reads the pauses and limits again, since people may have changed them. */
  void readSoon() {
    mustRead = true;
  }

  /** Starts every call that can start now; returns true if any did. */
  boolean start() {
    boolean started = storeBreaker();
    started |= read();
    started |= pauseIfGone();
    return started;
  }

  /** Applies these pauses and limits. */
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

  /**
   * Reads without the lane's lock, so that neither a long send nor a slow settle delays a pause.
   */
  private boolean read() {
    if (!mustRead) {
      return false;
    }
    mustRead = false;
    return calls.run(
        "read the pauses and limits of the destination",
        () -> context.store().steered(lane),
        this::apply,
        this::readSoon);
  }

  /** Pauses the destination by a row, which outlives this relay, until a person resumes it. */
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
                  "Destination '{}' is paused until a person resumes it: {}",
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
        "store the state of the breaker",
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

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
 * state of its breaker, that it is gone. All but {@link #paused}, {@link #known} and {@link
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
  private final Runnable goesOn;

  private volatile boolean paused;
  private boolean news;
  private boolean breakerTold;
  private boolean tellingBreaker;
  private @Nullable Reason gone;
  private boolean pausing;
  private volatile @Nullable UUID known;
  private volatile boolean unreachable;

  /** The last argument is called when a pause is over. */
  LaneSteering(
      RelayContext context,
      Destination destination,
      Lane lane,
      LaneEngine engine,
      LaneCheck check,
      StoreCalls calls,
      Runnable goesOn) {
    this.context = context;
    this.destination = destination;
    this.lane = lane;
    this.engine = engine;
    this.check = check;
    this.calls = calls;
    this.goesOn = goesOn;
  }

  boolean paused() {
    return paused;
  }

  /** The id of what people said last, as far as this lane knows. */
  @Nullable UUID known() {
    return known;
  }

  /** The destination does not answer this relay; another might reach it. */
  boolean unreachable() {
    return unreachable;
  }

  /** People said something that this lane may not know. */
  void news() {
    news = true;
  }

  /** Starts what can be started now; true if anything was. */
  boolean start() {
    boolean started = tellBreaker();
    started |= read();
    started |= pauseIfGone();
    return started;
  }

  /** They said this. */
  void heed(SteeringState said) {
    boolean over = paused && !said.paused();
    paused = said.paused();
    Double rate = said.ratePerSecond();
    engine.rate(rate == null ? destination.limit().perSecond() : rate);
    if (!said.id().equals(known)) {
      if (known != null) {
        check.want();
      }
      known = said.id();
      engine.steer(said);
    }
    if (over) {
      goesOn.run();
    }
  }

  /** Without the lane's lock, so that neither a long send nor a slow settle delays it. */
  private boolean read() {
    if (!news) {
      return false;
    }
    news = false;
    return calls.run(
        "read what people said about it",
        () -> context.store().steered(lane),
        this::heed,
        this::news);
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
          news = true;
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

  private boolean tellBreaker() {
    Reason reason = engine.breaker().openReason();
    unreachable = reason != null && engine.breaker().failedProbes() >= 3;
    if (tellingBreaker || (reason != null) == breakerTold) {
      return false;
    }
    breakerTold = reason != null;
    tellingBreaker = true;
    check.want();
    return calls.run(
        "tell the breaker's state",
        () -> {
          context.store().breaker(lane, Optional.ofNullable(reason));
          return true;
        },
        done -> tellingBreaker = false,
        () -> {
          tellingBreaker = false;
          breakerTold = !breakerTold;
        });
  }
}

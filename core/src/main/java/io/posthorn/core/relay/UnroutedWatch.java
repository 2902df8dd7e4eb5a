package io.posthorn.core.relay;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after messages that no route covers. Only the relay that owns the lane of unrouted messages
 * does so; since that is one relay at a time, it also starts retention.
 */
final class UnroutedWatch {
  private static final Logger LOG = LoggerFactory.getLogger(UnroutedWatch.class);
  private static final long EVERY = Duration.ofSeconds(1).toNanos();

  private final RelayContext context;
  private final Housekeeping housekeeping;
  private volatile @Nullable Lane lane;
  private volatile @Nullable Head doneUpTo;
  private volatile boolean busy;
  private volatile boolean mustRepeat;

  /** Whether people can read that the database refuses this work. */
  private volatile boolean noted;

  /** Whether they may read it from the owner before this one. */
  private volatile boolean mayBeNoted;

  private long nextAt;

  UnroutedWatch(RelayContext context, Housekeeping housekeeping) {
    this.context = context;
    this.housekeeping = housekeeping;
  }

  void taken(Lane taken) {
    lane = taken;
    doneUpTo = null;
    noted = false;
    mayBeNoted = true;
    nextAt = context.ticker().nanoTime();
    housekeeping.soon(nextAt);
    context.observer().on(new Event.HouseTaken());
  }

  void lost() {
    Lane held = lane;
    if (held != null) {
      left(held);
    }
  }

  private synchronized void left(Lane held) {
    if (held.equals(lane)) {
      lane = null;
      context.observer().on(new Event.HouseLeft());
    }
  }

  /** Gives the lane back on a store thread, without waiting for it. */
  void release() {
    Lane held = lane;
    if (held != null) {
      left(held);
      context.storeThreads().execute(() -> release(held));
    }
  }

  private void release(Lane held) {
    try {
      context.store().release(held);
    } catch (PosthornException e) {
      LOG.warn(
          "Lane {} was not given back; it is free when the lease ends: {}", held, e.getMessage());
    }
  }

  /** Whether a step or retention is running. */
  boolean busy() {
    return busy || housekeeping.busy();
  }

  /** Whether this relay owns the lane of unrouted messages. */
  boolean holds() {
    return lane != null;
  }

  /** Says whether messages have waited for a route for the whole grace. */
  void due(boolean any) {
    mustRepeat |= any;
  }

  /** Starts retention and the next step if they are due; a step runs on a store thread. */
  void look(Head head, long now) {
    Lane held = lane;
    if (held == null) {
      return;
    }
    housekeeping.look(now, () -> held.equals(lane));
    Head before = doneUpTo;
    boolean mustWork = mustRepeat || before == null || head.newsSince(before);
    if (busy || now < nextAt || !mustWork) {
      return;
    }
    nextAt = now + EVERY;
    busy = true;
    try {
      context.storeThreads().execute(() -> work(held, head));
    } catch (RuntimeException | Error e) {
      busy = false;
      throw e;
    }
  }

  private void work(Lane held, Head head) {
    try {
      mustRepeat = false;
      while (context
          .store()
          .tendUnrouted(held, context.config().noRouteGrace(), this::reportNoRoute)) {
        if (!held.equals(lane)) {
          return;
        }
      }
      doneUpTo = head;
      if ((noted || mayBeNoted) && note(held, List.of())) {
        noted = false;
        mayBeNoted = false;
      }
    } catch (LaneLostException e) {
      left(held);
    } catch (PosthornException e) {
      if (e.code() == ErrorCode.STORE_REFUSED) {
        stuck(held, e);
      } else {
        failed(e);
      }
      mustRepeat = true;
    } catch (RuntimeException | Error e) {
      failed(e);
      mustRepeat = true;
    } finally {
      busy = false;
    }
  }

  private void failed(Throwable e) {
    LOG.atLevel(context.warnOnce().warnLevel("unrouted"))
        .log(
            "Messages without a route were not processed; the relay retries: {}",
            Sanitiser.text(e));
  }

  private void stuck(Lane held, PosthornException refusal) {
    LOG.atLevel(context.warnOnce().errorLevel("unrouted"))
        .log(
            "Messages without a route were not processed: the database refuses it, and a retry does not help. They wait until the cause is fixed: {}",
            refusal.getMessage());
    String what = "process messages without a route";
    Reason why = Refusals.reason(refusal);
    context.observer().on(new Event.StoreRefused(RelayStore.UNROUTED, what, why));
    if (!noted) {
      String text = "could not %s: %s".formatted(what, why.text());
      noted = note(held, List.of(Finding.problem(Reason.of(why.code(), text))));
    }
  }

  /** Stores for people what is wrong; returns false if it was not stored. */
  private boolean note(Lane held, List<Finding> problems) {
    try {
      context.store().checked(held, problems);
      return true;
    } catch (PosthornException e) {
      LOG.debug("Lane {}: what is wrong with it was not stored: {}", held, e.getMessage());
      return false;
    }
  }

  private void reportNoRoute(String type, int messages) {
    context.observer().on(new Event.NoRoute(type, messages));
  }
}

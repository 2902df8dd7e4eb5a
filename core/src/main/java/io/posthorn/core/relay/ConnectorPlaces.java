package io.posthorn.core.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The places of a connector: how many messages the lanes of one destination have in flight in this
 * relay, all together. Lanes that wait for a place get one in turn. A free place is kept for the
 * lane that has waited longest, and that lane is called; otherwise the lane that gave the place
 * back would always be the first to take it again.
 */
final class ConnectorPlaces {
  /** A lane that was called and did not come within this time loses its turn: it may be busy. */
  private static final long PATIENCE = Duration.ofMillis(20).toNanos();

  /** One lane, as seen here. */
  static final class Member {
    private final Runnable wake;
    private int inFlight;
    private boolean called;
    private long calledAt;

    Member(Runnable wake) {
      this.wake = wake;
    }
  }

  private final Set<Member> waiting = new LinkedHashSet<>();
  private int inFlight;

  /** Takes a place. If that is not possible now, the lane waits from now on. */
  synchronized boolean tryEnter(Member lane, int places, long now) {
    skipLate(lane, now);
    int ahead = 0;
    for (Member other : waiting) {
      if (other == lane) {
        break;
      }
      ahead++;
    }
    if (inFlight + ahead >= places) {
      waiting.add(lane);
      return false;
    }
    stopWaiting(lane);
    enter(lane);
    return true;
  }

  /** Takes a place, even if none is free. */
  synchronized void enter(Member lane) {
    lane.inFlight++;
    inFlight++;
  }

  /** Gives a place back, and calls the lanes that may take one now. */
  void leave(Member lane, int places, long now) {
    List<Member> next;
    synchronized (this) {
      lane.inFlight--;
      inFlight--;
      next = toCall(places, now);
    }
    call(next, lane);
  }

  /** Says that this lane needs no place now. */
  void waitsNoLonger(Member lane, int places, long now) {
    List<Member> next;
    synchronized (this) {
      if (!waiting.contains(lane)) {
        return;
      }
      stopWaiting(lane);
      next = toCall(places, now);
    }
    call(next, lane);
  }

  /** Says that this lane has ended, with all that it has in flight. */
  void remove(Member lane, int places, long now) {
    List<Member> next;
    synchronized (this) {
      stopWaiting(lane);
      inFlight -= lane.inFlight;
      lane.inFlight = 0;
      next = toCall(places, now);
    }
    call(next, lane);
  }

  /** When a lane that waits should try again, even if nobody calls it. */
  synchronized long tryAgainAt(int places, long now) {
    return inFlight < places ? now + PATIENCE : Long.MAX_VALUE;
  }

  synchronized boolean waits(Member lane) {
    return waiting.contains(lane);
  }

  private void stopWaiting(Member lane) {
    waiting.remove(lane);
    lane.called = false;
  }

  private void skipLate(Member asking, long now) {
    waiting.removeIf(
        lane -> {
          boolean late = lane != asking && lane.called && now - lane.calledAt > PATIENCE;
          lane.called &= !late;
          return late;
        });
  }

  private List<Member> toCall(int places, long now) {
    List<Member> next = new ArrayList<>();
    int free = places - inFlight;
    for (Member lane : waiting) {
      if (free-- <= 0) {
        break;
      }
      if (!lane.called) {
        lane.called = true;
        lane.calledAt = now;
        next.add(lane);
      }
    }
    return next;
  }

  /** Outside the lock. A lane need not be called by itself. */
  private static void call(List<Member> lanes, Member caller) {
    for (Member lane : lanes) {
      if (lane != caller) {
        lane.wake.run();
      }
    }
  }
}

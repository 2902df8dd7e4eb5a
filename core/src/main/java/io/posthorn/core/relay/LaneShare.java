package io.posthorn.core.relay;

import java.util.HashMap;
import java.util.Map;

/**
 * What the lanes of one destination share in one relay. A relay that holds k of n lanes may use k/n
 * of the rate, and its lanes share that part. The messages in flight are divided among all n lanes,
 * so that they never exceed the limit together, whoever holds them. The places of the connector
 * belong to this relay alone.
 */
final class LaneShare {
  private final Destination destination;
  private final ConnectorPlaces places = new ConnectorPlaces();
  private final TokenBucket rate;
  private final Map<String, TokenBucket> rateOfTypes = new HashMap<>();
  private double perSecond;
  private int held;
  private int of = 1;

  LaneShare(Destination destination, long now) {
    this.destination = destination;
    this.perSecond = destination.limit().perSecond();
    this.rate = new TokenBucket(perSecond, now);
  }

  /** The share of a lane that has no others beside it. */
  static Member alone(Destination destination, long now) {
    return new LaneShare(destination, now).join(0, 1, () -> {});
  }

  /**
   * Adds a lane that this relay has taken.
   *
   * @param lanes how many lanes the destination has
   * @param wake makes the lane try to send again; called on any thread
   */
  synchronized Member join(int number, int lanes, Runnable wake) {
    held++;
    of = Math.max(lanes, held);
    applyRates();
    return new Member(number, lanes, wake);
  }

  private void applyRates() {
    rate.rate(part(perSecond));
    rateOfTypes.forEach((type, bucket) -> bucket.rate(part(perSecondOf(type))));
  }

  private double part(double all) {
    return all * held / of;
  }

  private double perSecondOf(String type) {
    SendLimit limit = destination.limit(type);
    return limit == null ? 0 : limit.perSecond();
  }

  /** One lane's access to what it shares. Used on the lane's own thread. */
  final class Member {
    private final SafeConnector connector = new SafeConnector(destination);
    private final ConnectorPlaces.Member inPlaces;
    private final int number;
    private final int lanes;
    private boolean refused;
    private boolean over;

    private Member(int number, int lanes, Runnable wake) {
      this.number = number;
      this.lanes = lanes;
      this.inPlaces = new ConnectorPlaces.Member(wake);
    }

    /** This lane's part of a limit of messages in flight; all parts together are the limit. */
    int part(int maxInFlight) {
      return Math.max(1, (maxInFlight + lanes - 1 - number) / lanes);
    }

    void roundBegins() {
      refused = false;
    }

    /** If no place was refused in this round, the lane waits for none. */
    void roundEnds(long now) {
      if (!refused) {
        places.waitsNoLonger(inPlaces, connector.maxInFlight(), now);
      }
    }

    boolean tryEnter(long now) {
      boolean entered = places.tryEnter(inPlaces, connector.maxInFlight(), now);
      refused |= !entered;
      return entered;
    }

    void enter() {
      places.enter(inPlaces);
    }

    void leave(long now) {
      places.leave(inPlaces, connector.maxInFlight(), now);
    }

    boolean waitsForPlace() {
      return places.waits(inPlaces);
    }

    long tryAgainAt(long now) {
      return places.tryAgainAt(connector.maxInFlight(), now);
    }

    void rate(double newRate) {
      synchronized (LaneShare.this) {
        if (newRate != perSecond) {
          perSecond = newRate;
          applyRates();
        }
      }
    }

    boolean tryTake(long now) {
      synchronized (LaneShare.this) {
        return rate.tryTake(now);
      }
    }

    long nextAt(long now) {
      synchronized (LaneShare.this) {
        return rate.nextAt(now);
      }
    }

    boolean tryTake(String type, long now) {
      synchronized (LaneShare.this) {
        return ofType(type, now).tryTake(now);
      }
    }

    void giveBack(String type, long now) {
      synchronized (LaneShare.this) {
        ofType(type, now).giveBack();
      }
    }

    long nextAt(String type, long now) {
      synchronized (LaneShare.this) {
        return ofType(type, now).nextAt(now);
      }
    }

    private TokenBucket ofType(String type, long now) {
      return rateOfTypes.computeIfAbsent(
          type, name -> new TokenBucket(LaneShare.this.part(perSecondOf(name)), now));
    }

    /** The lane has ended. */
    void end(long now) {
      synchronized (LaneShare.this) {
        if (over) {
          return;
        }
        over = true;
        held--;
        applyRates();
      }
      places.remove(inPlaces, connector.maxInFlight(), now);
    }
  }
}

package io.posthorn.core.store;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.retention.RetentionStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * The delivering side of a store. {@link #claim} and {@link #settle} are the whole contract of
 * delivery; the other methods decide which relay may call them.
 *
 * <p>Every method of delivery is one short transaction or one statement, and no transaction is open
 * while a broker is called. A method that cannot reach the database throws a {@code
 * PosthornException} and has changed nothing. The exception is {@link #settle}, whose commit may
 * have succeeded: call it again with the same settlement to find out.
 *
 * <p>The code {@code STORE_REFUSED} means that the database refuses these values for good, so the
 * same call would always fail. Any other code means that the database is unreachable, busy, full or
 * in conflict, and the same call may succeed later. Claims work around rows that cannot be read,
 * and return them as {@link Delivery#unreadable}. If a settle is refused, its caller must split it.
 */
public interface RelayStore extends RetentionStore {
  /** The built-in destination for messages that no route wants. */
  String UNROUTED = "unrouted";

  /**
   * Checks that a relay may deliver from this database.
   *
   * @param environment the configured name of the environment, which the database must have too
   * @throws io.posthorn.core.error.PosthornException with one of the codes POSTHORN-008 to
   *     POSTHORN-013 if it may not
   */
  void verify(String environment);

  /** Registers destinations and their routes. It only adds; existing registrations stay. */
  void register(String application, List<ServedDestination> destinations);

  /** Registers this relay as alive for the time of the lease. */
  void join(RelayIdentity relay, List<ServedDestination> serves, Duration lease);

  /**
   * Extends the lease. Returns empty if it has run out: an expired lease is never revived, so the
   * relay must join again under a new identity.
   */
  Optional<ClusterState> beat(RelayIdentity relay, Duration lease);

  /**
   * Takes a lane that is free, or whose holder's lease has run out. Returns empty if another relay
   * was faster.
   */
  Optional<Lane> take(RelayIdentity relay, String destination, int lane);

  /** Gives a lane back. */
  void release(Lane lane);

  /** Gives back all lanes of this relay and ends its lease. */
  void leave(RelayIdentity relay);

  /** Returns how far the log reaches. It is one small statement that relays send often. */
  Head head();

  /** Returns the head, and which of these destinations have other work, in one statement. */
  Signals look(Collection<String> destinations);

  /** Returns how people have steered the lane's destination. Relays ask after each change. */
  SteeringState steered(Lane lane);

  /**
   * Claims the next batch of the log after the stored progress. All earlier batches are settled.
   */
  Claim claim(Lane lane, ClaimLimits limits);

  /**
   * Reads the batches after an unsettled one, from the same stored window, in one read.
   *
   * @param known the progress ids that may be the newest when this reads; the set may grow
   *     meanwhile. If the newest progress is not in it, the lane is lost
   * @param limits the limits of each batch
   * @param most the most batches
   * @return empty if the window holds no more messages
   */
  List<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits, int most);

  /** Returns parked messages that may be tried now: the heads of keys first, each key in order. */
  List<Delivery> claimParked(Lane lane, ClaimLimits limits);

  /**
   * Makes messages that wait for code due now, at most 1,000 of them. A relay calls this once for a
   * lane that it has taken: it may have the code that the lane's last holder lacked.
   *
   * @return how many messages are due now because of it
   */
  int retryWaitingForCode(Lane lane);

  /**
   * Writes the results of batches in one transaction.
   *
   * @return the state of the lane, and the next batch if the settlement asks for one
   * @throws LaneLostException if another relay holds the lane, or the stored progress is not the
   *     expected one
   */
  Claim settle(Settlement settlement);

  /**
   * Records for people that this destination does not work.
   *
   * @param open why; empty if it works again
   */
  void breaker(Lane lane, Optional<Reason> open);

  /** Pauses the lane's destination until a person resumes it, audited in the name of this relay. */
  void pause(Lane lane, Reason why);

  /** Records for people what this relay found when it checked whether it could send. */
  void checked(Lane lane, List<Finding> findings);

  /**
   * Parks messages that no route covers. Messages that have waited for the whole grace go to the
   * destinations that want them by now; without such a destination they become dead letters.
   *
   * @param dead receives, after the commit, each type and the number of its new dead letters
   * @return true if there is more to do at once
   */
  boolean tendUnrouted(Lane lane, Duration grace, BiConsumer<String, Integer> dead);

  /** As above, without reporting dead letters. */
  default boolean tendUnrouted(Lane lane, Duration grace) {
    return tendUnrouted(lane, grace, (type, messages) -> {});
  }

  /**
   * Takes one step of each running operation that no other relay works on, in a short transaction.
   *
   * @return when to call again; empty if no operation runs
   */
  Optional<Duration> runOperations();
}

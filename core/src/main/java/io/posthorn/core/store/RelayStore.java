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
 * delivery; the rest is about who may call them.
 *
 * <p>Every method of delivery is one short transaction, or one statement. None is open while a
 * broker is called. A method that cannot reach the database throws a {@code PosthornException} and
 * has done nothing, except {@link #settle}, whose commit may have been made: calling it again with
 * the same settlement finds out.
 *
 * <p>A database that is away, busy, full or in conflict is told by any code but {@code
 * STORE_REFUSED}: the same call may succeed later. {@code STORE_REFUSED} says that the database was
 * asked and refuses these very values, so that the same call would fail for ever. Claims find a way
 * around rows that cannot be read: they return them as {@link Delivery#unreadable}. A settle is for
 * its caller to make smaller.
 */
public interface RelayStore extends RetentionStore {
  /** The built-in destination whose lane keeps watch over messages that no route wants. */
  String UNROUTED = "unrouted";

  /** Throws if this database must not be relayed from: see the error codes 8 to 13. */
  void verify(String environment);

  /** Makes destinations and their routes known. Only adds; what others registered stays. */
  void register(String application, List<ServedDestination> destinations);

  void join(RelayIdentity relay, List<ServedDestination> serves, Duration lease);

  /** Extends the lease; empty if it has run out, which cannot be undone: join again, as another. */
  Optional<ClusterState> beat(RelayIdentity relay, Duration lease);

  /**
   * Takes a lane that is free or whose holder's lease has run out; empty if somebody was faster.
   */
  Optional<Lane> take(RelayIdentity relay, String destination, int lane);

  void release(Lane lane);

  /** Gives back everything at once. */
  void leave(RelayIdentity relay);

  /** How far the log reaches; one small statement, asked often. */
  Head head();

  /** The head and, of these destinations, those with something else to do; one statement. */
  Signals look(Collection<String> destinations);

  /** What people said about the lane's destination; one small statement, asked when it changed. */
  SteeringState steered(Lane lane);

  /** The next batch of the log, from the stored progress on. Nothing may be unsettled. */
  Claim claim(Lane lane, ClaimLimits limits);

  /**
   * The batches after an unsettled one, from the same stored window, by one read.
   *
   * @param known the progress ids that may be the newest when this is read; it may grow meanwhile.
   *     If the newest is none of them, the lane is lost.
   * @param limits of each
   * @param most so many
   * @return none if the window holds nothing more
   */
  List<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits, int most);

  /** Parked messages that may be tried now, heads of their keys first, each key in order. */
  List<Delivery> claimParked(Lane lane, ClaimLimits limits);

  /**
   * Writes down what came of batches, in one transaction.
   *
   * @return the state of the lane and, if asked for, the next batch
   * @throws LaneLostException if the lane is held by another, or the progress is not the expected
   *     one
   */
  Claim settle(Settlement settlement);

  /** Notes for people that this destination does not answer, and why; empty = it answers again. */
  void breaker(Lane lane, Optional<Reason> open);

  /** Pauses the lane's destination in this relay's name, audited, until a person resumes it. */
  void pause(Lane lane, Reason why);

  /** Notes for people what was found when this relay looked whether it could send. */
  void checked(Lane lane, List<Finding> findings);

  /**
   * Parks what no route covers; and what has waited for a route for the whole grace goes to those
   * who want it now, or is dead.
   *
   * @param dead hears, when it is committed, how many of which type are dead now
   * @return true if there is more to do at once
   */
  boolean tendUnrouted(Lane lane, Duration grace, BiConsumer<String, Integer> dead);

  /** The same, telling nobody. */
  default boolean tendUnrouted(Lane lane, Duration grace) {
    return tendUnrouted(lane, grace, (type, messages) -> {});
  }

  /**
   * Takes a step of each operation that runs and that nobody else works on: a short transaction.
   *
   * @return when to call again; empty if none runs
   */
  Optional<Duration> runOperations();
}

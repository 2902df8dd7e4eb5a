package io.posthorn.core.operate.steering;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The side of a store for whoever steers deliveries. Every change is audited in the same
 * transaction; false or 0 means that there was nothing to change, and nothing is audited.
 */
public interface SteeringStore {
  List<DestinationStatus> destinations();

  /** What relays found when they last looked whether they could send. */
  List<DestinationCheck> checks();

  /**
   * Lets the relay of this destination look again soon; none = all. Not audited: it changes
   * nothing.
   */
  boolean lookAgain(@Nullable String destination);

  /** Oldest first. */
  List<Pause> pauses(int limit);

  /** Nothing more of it is sent until it is resumed; what is on its way is finished. */
  boolean pause(Scope scope, Actor by);

  /** What waited for it goes on, each key in its order. */
  boolean resume(Scope scope, Actor by);

  /** In place of the configured rate; none = as configured. */
  boolean limit(String destination, @Nullable Double perSecond, Actor by);

  /**
   * Heads of keys, those that are to go first before others, and at the end those that have no
   * time; after this one, or from the first if that is gone.
   */
  List<ParkedMessage> parked(String destination, @Nullable UUID after, int limit);

  /**
   * All of one key, in the order in which they go, scheduled ones last; after this one, or from the
   * first if that is gone.
   */
  List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit);

  /** Lets what waits for its next attempt be tried at once: of this key, or all. */
  int retryNow(String destination, @Nullable Key key, Actor by);

  /**
   * Gives a parked message up, scheduled or not; the evidence is a discarded dead letter, and its
   * key goes on. What a relay has in hand at this moment may still be sent.
   */
  boolean skip(String destination, UUID message, Actor by);

  /** Gives a scheduled message another time; false if it is not parked as scheduled. */
  boolean reschedule(String destination, UUID message, Instant at, Actor by);

  /** Lets a key go on that is held by a dead letter, which stays as it is. */
  boolean release(String destination, Key key, Actor by);

  /** Of this destination; none = of all. */
  List<Route> routes(@Nullable String destination);

  /**
   * Takes routes away: of these types, none = of all; of this application, none = of all. Returns
   * how many. Refused while a live relay is configured for one of them.
   */
  int narrow(String destination, Set<String> types, @Nullable String application, Actor by);

  /**
   * Takes a destination away, with its routes, its pauses and its held keys. What is parked for it
   * becomes dead letters; returns how many. Refused while a live relay is configured for it. If it
   * fails half way, the same call goes on.
   */
  long remove(String destination, Actor by);

  /** Where a message stands with a destination, in words; empty if there is no such message. */
  Optional<String> whereabouts(String destination, UUID message);
}

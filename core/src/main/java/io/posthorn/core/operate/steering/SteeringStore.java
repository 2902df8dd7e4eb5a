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
 * The side of a store for people who steer deliveries. Every change is audited in the same
 * transaction. A result of false or 0 means that there was nothing to change, and nothing is
 * audited.
 */
public interface SteeringStore {
  /** The status of every destination. */
  List<DestinationStatus> destinations();

  /** What relays found when they last checked whether they could send. */
  List<DestinationCheck> checks();

  /**
   * Makes the destination's relay check soon whether it can send; null for all destinations. It
   * changes nothing, so it is not audited.
   */
  boolean lookAgain(@Nullable String destination);

  /** All pauses, oldest first. */
  List<Pause> pauses(int limit);

  /** Pauses the scope. Messages that are in flight are finished. */
  boolean pause(Scope scope, Actor by);

  /** Resumes the scope. The messages that waited are delivered, each key in its order. */
  boolean resume(Scope scope, Actor by);

  /** Sets a rate in place of the configured one; null restores the configured rate. */
  boolean limit(String destination, @Nullable Double perSecond, Actor by);

  /**
   * Returns parked messages that are first of their keys: those due first come first, and those
   * without a time come last. The page starts after this message, or at the first if that is gone.
   */
  List<ParkedMessage> parked(String destination, @Nullable UUID after, int limit);

  /**
   * Returns all parked messages of one key in the order of delivery, with scheduled messages last.
   * The page starts after this message, or at the first if that is gone.
   */
  List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit);

  /** Retries messages at once that wait for their next attempt: those of this key, or all. */
  int retryNow(String destination, @Nullable Key key, Actor by);

  /**
   * Gives up a parked or scheduled message. Its key continues without it, and a discarded dead
   * letter is kept as evidence. If a relay is just sending the message, it may still arrive.
   */
  boolean skip(String destination, UUID message, Actor by);

  /** Gives a scheduled message another time. Returns false if it is not parked as scheduled. */
  boolean reschedule(String destination, UUID message, Instant at, Actor by);

  /** Lets a key continue that a dead letter holds. The letter stays as it is. */
  boolean release(String destination, Key key, Actor by);

  /** The routes of this destination; null for all destinations. */
  List<Route> routes(@Nullable String destination);

  /**
   * Removes routes, and returns how many. Refuses while a live relay is configured with one of
   * them.
   *
   * @param types only routes of these types; empty for all
   * @param application only routes of this application; null for all
   */
  int narrow(String destination, Set<String> types, @Nullable String application, Actor by);

  /**
   * Removes a destination with its routes, its pauses and its held keys. Its parked messages become
   * dead letters; returns how many. Refuses while a live relay is configured for it. If it fails
   * half way, repeat the call: it continues.
   */
  long remove(String destination, Actor by);

  /** Describes where a message is at a destination, in words; empty if there is no such message. */
  Optional<String> whereabouts(String destination, UUID message);
}

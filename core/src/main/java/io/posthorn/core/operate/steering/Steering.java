package io.posthorn.core.operate.steering;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Limits;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.store.RelayStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Shows the state of deliveries, and changes it: pause, limit, retry, skip, reschedule, release,
 * and remove routes or destinations. Every change is audited.
 */
public final class Steering {
  private final SteeringStore store;

  private Steering(SteeringStore store) {
    this.store = store;
  }

  /** Steers the deliveries of this store. */
  public static Steering on(SteeringStore store) {
    return new Steering(store);
  }

  /** The status of every destination. */
  public List<DestinationStatus> destinations() {
    return store.destinations();
  }

  /** What relays found when they last checked whether they could send. */
  public List<DestinationCheck> checks() {
    return store.checks();
  }

  /**
   * Makes the destination's relay check again whether it can send, within a second or two.
   *
   * @param destination null for all destinations
   */
  public void lookAgain(@Nullable String destination) {
    known(destination, store.lookAgain(destination));
  }

  /** All pauses, oldest first. */
  public List<Pause> pauses(int limit) {
    return store.pauses(limit);
  }

  /**
   * Pauses everything in the scope until you resume it. Messages that are in flight are finished.
   *
   * @return false if the scope was already paused
   */
  public boolean pause(Scope scope, Actor by) {
    if (RelayStore.UNROUTED.equals(scope.destination())) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "'%s' was not paused: it is not a receiver, it only holds messages that no route wants. Pause another destination, or everything."
              .formatted(scope.destination()));
    }
    return known(scope.destination(), store.pause(scope, by));
  }

  /**
   * Resumes a scope. The messages that waited are delivered, each key in its order.
   *
   * @return false if the scope was not paused
   */
  public boolean resume(Scope scope, Actor by) {
    return known(scope.destination(), store.resume(scope, by));
  }

  /** Pauses a whole destination. Returns false if it was already paused. */
  public boolean pause(String destination, Actor by) {
    return pause(Scope.destination(destination), by);
  }

  /** Resumes a whole destination. Returns false if it was not paused. */
  public boolean resume(String destination, Actor by) {
    return resume(Scope.destination(destination), by);
  }

  /**
   * Limits the rate of a destination from now on.
   *
   * @param perSecond the most messages per second; null restores the configured rate
   * @return false if nothing changed
   */
  public boolean limit(String destination, @Nullable Double perSecond, Actor by) {
    if (perSecond != null && !(perSecond > 0 && perSecond <= 1e9)) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "the rate of '%s' was not changed: %s per second is not a valid rate. Choose more than 0, or pause the destination."
              .formatted(destination, perSecond));
    }
    return known(destination, store.limit(destination, perSecond, by));
  }

  /**
   * Returns parked messages that are first of their keys: those due first come first, and those
   * without a time come last.
   *
   * @param after the last message of the previous page; null for the first page
   */
  public List<ParkedMessage> parked(String destination, @Nullable UUID after, int limit) {
    List<ParkedMessage> parked = store.parked(destination, after, limit);
    known(destination, !parked.isEmpty());
    return parked;
  }

  /**
   * Returns all parked messages of one key in the order of delivery, with scheduled messages last.
   *
   * @param after the last message of the previous page; null for the first page
   */
  public List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit) {
    List<ParkedMessage> parked = store.parked(destination, key, after, limit);
    known(destination, !parked.isEmpty());
    return parked;
  }

  /**
   * Retries messages at once that wait for their next attempt.
   *
   * @param key only messages of this key; null for all
   * @return the number of messages
   */
  public int retryNow(String destination, @Nullable Key key, Actor by) {
    int tried = store.retryNow(destination, key, by);
    known(destination, tried > 0);
    return tried;
  }

  /**
   * Gives up a parked or scheduled message. Its key continues without it, and a discarded dead
   * letter is kept.
   *
   * @throws PosthornException if the message is not parked; the text says where it is
   */
  public void skip(String destination, UUID message, Actor by) {
    if (!known(destination, store.skip(destination, message, by))) {
      throw notDone("skipped: it is not parked", destination, message);
    }
  }

  /**
   * Gives a scheduled message another time, which may be past.
   *
   * @throws PosthornException if the message is not scheduled; the text says where it is. Also if
   *     no message may have this time: see {@link Limits#isTime}
   */
  public void reschedule(String destination, UUID message, Instant at, Actor by) {
    if (!Limits.isTime(at)) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "message %s was not rescheduled for '%s': %s is not between %s and %s. Choose such a time."
              .formatted(message, destination, at, Limits.EARLIEST, Limits.LATEST));
    }
    if (!known(destination, store.reschedule(destination, message, at, by))) {
      throw notDone("rescheduled: it is not parked as scheduled", destination, message);
    }
  }

  private PosthornException notDone(String what, String destination, UUID message) {
    Optional<String> whereabouts = store.whereabouts(destination, message);
    return new PosthornException(
        whereabouts.isPresent() ? ErrorCode.CONFLICT : ErrorCode.NOT_FOUND,
        "message %s was not %s for '%s'. %s."
            .formatted(message, what, destination, whereabouts.orElse("There is no such message")));
  }

  /** Lets a key continue that a dead letter holds. Returns false if the key is not held. */
  public boolean release(String destination, Key key, Actor by) {
    return known(destination, store.release(destination, key, by));
  }

  /** The routes of a destination, by type; null for all destinations. */
  public List<Route> routes(@Nullable String destination) {
    List<Route> routes = store.routes(destination);
    known(destination, !routes.isEmpty());
    return routes;
  }

  /**
   * Removes routes of a destination. Messages of the log are no longer sent by these routes; parked
   * messages still are. The call is refused while a live relay is configured with one of the
   * routes, because that relay would register it again.
   *
   * @param types only routes of these types; empty for all
   * @param application only routes of this application; null for all
   * @return the number of routes removed
   */
  public int narrow(String destination, Set<String> types, @Nullable String application, Actor by) {
    refuseUnrouted("narrowed", destination);
    int gone = store.narrow(destination, types, application, by);
    known(destination, gone > 0);
    return gone;
  }

  /**
   * Removes a destination for good, with its routes, its pauses and its held keys. Its parked
   * messages become dead letters. Messages of the log that it has not received are not kept: spill
   * the destination first to keep them too. The call is refused while a live relay is configured
   * for the destination.
   *
   * @return the number of new dead letters
   */
  public long remove(String destination, Actor by) {
    refuseUnrouted("removed", destination);
    known(destination, false);
    return store.remove(destination, by);
  }

  private static void refuseUnrouted(String done, String destination) {
    if (destination.equals(RelayStore.UNROUTED)) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "'%s' was not %s: it belongs to Posthorn itself, and holds messages that no route wants."
              .formatted(destination, done));
    }
  }

  /** Fails if nothing was found because the destination does not exist. */
  private boolean known(@Nullable String destination, boolean found) {
    if (found || destination == null) {
      return found;
    }
    List<String> names = store.destinations().stream().map(DestinationStatus::name).toList();
    if (!names.contains(destination)) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "nothing was done: there is no destination '%s'. The destinations are: %s."
              .formatted(destination, String.join(", ", names)));
    }
    return false;
  }
}

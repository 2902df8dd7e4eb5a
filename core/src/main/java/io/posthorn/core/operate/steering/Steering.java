package io.posthorn.core.operate.steering;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.store.RelayStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a person can see and do while messages are on their way. Every change is audited. */
public final class Steering {
  private final SteeringStore store;

  private Steering(SteeringStore store) {
    this.store = store;
  }

  public static Steering on(SteeringStore store) {
    return new Steering(store);
  }

  public List<DestinationStatus> destinations() {
    return store.destinations();
  }

  /** What relays found when they last looked whether they could send. */
  public List<DestinationCheck> checks() {
    return store.checks();
  }

  /** Lets the relay of this destination look again, within a second or two; none = all. */
  public void lookAgain(@Nullable String destination) {
    known(destination, store.lookAgain(destination));
  }

  /** What is paused, oldest first. */
  public List<Pause> pauses(int limit) {
    return store.pauses(limit);
  }

  /** Nothing more of it is sent until it is resumed; false if it was paused already. */
  public boolean pause(Scope scope, Actor by) {
    if (RelayStore.UNROUTED.equals(scope.destination())) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "'%s' was not paused: it is no receiver, it only watches over messages that no route wants. Pause a destination, or everything."
              .formatted(scope.destination()));
    }
    return known(scope.destination(), store.pause(scope, by));
  }

  /** What waited for it goes on, each key in its order; false if it was not paused. */
  public boolean resume(Scope scope, Actor by) {
    return known(scope.destination(), store.resume(scope, by));
  }

  /** The whole destination. */
  public boolean pause(String destination, Actor by) {
    return pause(Scope.destination(destination), by);
  }

  /** The whole destination. */
  public boolean resume(String destination, Actor by) {
    return resume(Scope.destination(destination), by);
  }

  /** At most so many a second, from now on; none = as configured. */
  public boolean limit(String destination, @Nullable Double perSecond, Actor by) {
    if (perSecond != null && !(perSecond > 0 && perSecond <= 1e9)) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "the rate of '%s' was not changed: %s a second is no rate. Choose more than 0, or pause the destination."
              .formatted(destination, perSecond));
    }
    return known(destination, store.limit(destination, perSecond, by));
  }

  /**
   * The first of each key, those that are to go first before others, and at the end those that have
   * no time; {@code after} is the last message of the page before.
   */
  public List<ParkedMessage> parked(String destination, @Nullable UUID after, int limit) {
    List<ParkedMessage> parked = store.parked(destination, after, limit);
    known(destination, !parked.isEmpty());
    return parked;
  }

  /**
   * All of one key, in the order in which they go, scheduled ones last; {@code after} is the last
   * message of the page before.
   */
  public List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit) {
    List<ParkedMessage> parked = store.parked(destination, key, after, limit);
    known(destination, !parked.isEmpty());
    return parked;
  }

  /** Lets what waits for its next attempt be tried at once; returns how many. */
  public int retryNow(String destination, @Nullable Key key, Actor by) {
    int tried = store.retryNow(destination, key, by);
    known(destination, tried > 0);
    return tried;
  }

  /** Gives a parked message up, scheduled or not; fails with where it is if it is not parked. */
  public void skip(String destination, UUID message, Actor by) {
    if (!known(destination, store.skip(destination, message, by))) {
      throw notDone("skipped: it is not parked", destination, message);
    }
  }

  /** Gives a scheduled message another time; fails with where it is if it does not wait for one. */
  public void reschedule(String destination, UUID message, Instant at, Actor by) {
    if (!known(destination, store.reschedule(destination, message, at, by))) {
      throw notDone("rescheduled: it is not parked as scheduled", destination, message);
    }
  }

  private PosthornException notDone(String what, String destination, UUID message) {
    Optional<String> whereabouts = store.whereabouts(destination, message);
    return new PosthornException(
        whereabouts.isPresent() ? ErrorCode.CONFLICT : ErrorCode.NOT_FOUND,
        "message %s was not %s for '%s'. %s."
            .formatted(
                message, what, destination, whereabouts.orElse("There is no such message")));
  }

  /** Lets a held key go on; false if it is not held. */
  public boolean release(String destination, Key key, Actor by) {
    return known(destination, store.release(destination, key, by));
  }

  /** By destination and type; none = of all destinations. */
  public List<Route> routes(@Nullable String destination) {
    List<Route> routes = store.routes(destination);
    known(destination, !routes.isEmpty());
    return routes;
  }

  /**
   * Takes routes away: of these types, none = of all; of this application, none = of all. Returns
   * how many. Nothing more of the log goes to the destination by them; what is parked still does.
   * Refused while a live relay is configured for one of them, which would add it again.
   */
  public int narrow(String destination, Set<String> types, @Nullable String application, Actor by) {
    refuseUnrouted("narrowed", destination);
    int gone = store.narrow(destination, types, application, by);
    known(destination, gone > 0);
    return gone;
  }

  /**
   * Takes a destination away for good, with its routes, its pauses and its held keys. What is
   * parked for it becomes dead letters; returns how many. What it has not got of the log it does
   * not get any more: spill it first to keep that, too. Refused while a live relay is configured
   * for it.
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
          "'%s' was not %s: it belongs to Posthorn itself, and watches over messages that no route wants."
              .formatted(destination, done));
    }
  }

  /** Where nothing was found to do, the name may be wrong. */
  private boolean known(@Nullable String destination, boolean found) {
    if (found || destination == null) {
      return found;
    }
    List<String> names = store.destinations().stream().map(DestinationStatus::name).toList();
    if (!names.contains(destination)) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "nothing was done: there is no destination '%s'. There are: %s."
              .formatted(destination, String.join(", ", names)));
    }
    return false;
  }
}

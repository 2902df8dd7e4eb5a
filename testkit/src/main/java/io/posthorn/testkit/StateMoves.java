package io.posthorn.testkit;

import io.posthorn.core.message.MessageState;
import io.posthorn.core.store.MessageStory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the last state that a test saw of each message at each destination, and fails if the
 * next one cannot be reached from it by the moves of {@link MessageState#next}.
 *
 * <p>A test sees only some of the states, so any number of moves may lie between two of them. Only
 * a person takes a message out of {@code DEAD} or {@code SENT}, or discards it. A test that acts
 * for a person announces it with {@link #byHand}; otherwise such a move fails too.
 */
final class StateMoves {
  private record Place(UUID message, String destination) {}

  private final Map<Place, MessageState> last = new HashMap<>();
  private final Set<Place> byHand = new HashSet<>();

  /** Checks the message's state at every destination. Returns the story. */
  MessageStory seen(MessageStory story) {
    story.deliveries().forEach(one -> seen(story.message().id(), one.destination(), one.state()));
    return story;
  }

  void seen(UUID message, String destination, MessageState state) {
    Place place = new Place(message, destination);
    @Nullable MessageState before = last.put(place, state);
    boolean person = byHand.remove(place);
    if (before != null && !reachable(before, person).contains(state)) {
      throw new AssertionError(
          "message %s was %s at '%s' and is %s now; %s it can only become %s"
              .formatted(
                  message,
                  before,
                  destination,
                  state,
                  person ? "even with a person's help" : "without a person's help",
                  reachable(before, person)));
    }
  }

  /** A person has acted: the next state of each message may be the result of that. */
  void byHand() {
    byHand.addAll(last.keySet());
  }

  /** The messages seen so far. */
  Set<UUID> messages() {
    Set<UUID> messages = new HashSet<>();
    last.keySet().forEach(place -> messages.add(place.message));
    return messages;
  }

  private static Set<MessageState> reachable(MessageState from, boolean person) {
    Set<MessageState> reached = EnumSet.of(from);
    Deque<MessageState> open = new ArrayDeque<>(reached);
    for (MessageState state = open.poll(); state != null; state = open.poll()) {
      for (MessageState next : state.next()) {
        if ((person || !isByHand(state, next)) && reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }

  private static boolean isByHand(MessageState from, MessageState to) {
    return from == MessageState.DEAD || from == MessageState.SENT || to == MessageState.DISCARDED;
  }
}

package io.posthorn.core.store;

import java.util.Optional;
import java.util.UUID;

/** The side of a store that answers questions about messages. */
public interface MessageStore {
  /**
   * The state and the history of a message; empty if the message is unknown, or was removed after
   * the retention.
   */
  Optional<MessageStory> find(UUID id);
}

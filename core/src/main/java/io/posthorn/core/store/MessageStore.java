package io.posthorn.core.store;

import java.util.Optional;
import java.util.UUID;

/** The asking side of a store. */
public interface MessageStore {
  /**
   * The state and the history of a message; empty if it is unknown, or gone after the retention.
   */
  Optional<MessageStory> find(UUID id);
}

package io.posthorn.core.operate.story;

import io.posthorn.core.store.MessageStore;
import org.jspecify.annotations.Nullable;

/** The side of a store for whoever looks for messages. */
public interface StoryStore extends MessageStore {
  /** In the order of the log, or against it; after this place, if any is given. */
  MessagePage messages(MessageQuery query, @Nullable Long after, int limit);
}

package io.posthorn.core.operate.story;

import io.posthorn.core.store.MessageStore;
import org.jspecify.annotations.Nullable;

/** The side of a store for people who look for messages. */
public interface StoryStore extends MessageStore {
  /** Returns a page of messages in the query's order, after this place if one is given. */
  MessagePage messages(MessageQuery query, @Nullable Long after, int limit);
}

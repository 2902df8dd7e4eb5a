package io.posthorn.core.operate.story;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.MessageStory;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds messages, their states and their histories. It changes nothing. */
public final class Messages {
  private static final int LARGEST_PAGE = 1_000;

  private final StoryStore store;

  private Messages(StoryStore store) {
    this.store = store;
  }

  /** The messages of this store. */
  public static Messages on(StoryStore store) {
    return new Messages(store);
  }

  /**
   * Returns a message with its states and its history; empty if it is unknown, or was removed after
   * the retention.
   */
  public Optional<MessageStory> find(UUID id) {
    return store.find(id);
  }

  /**
   * Returns a page of the messages in the log. A query by key or correlation id uses an index. Any
   * other query scans the log for a bounded time, so its page may have fewer messages than
   * requested, or none, although there is a next page.
   *
   * @param after {@link MessagePage#next} of the previous page; null for the first page
   * @param limit the most messages of the page, from 1 to 1,000
   */
  public MessagePage list(MessageQuery query, @Nullable Long after, int limit) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "no messages were listed: a page of %,d is not possible. Choose 1 to %,d."
              .formatted(limit, LARGEST_PAGE));
    }
    return store.messages(query, after, limit);
  }
}

package io.posthorn.core.operate.story;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.MessageStory;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds messages and tells what became of them. It changes nothing. */
public final class Messages {
  private static final int LARGEST_PAGE = 1_000;

  private final StoryStore store;

  private Messages(StoryStore store) {
    this.store = store;
  }

  public static Messages on(StoryStore store) {
    return new Messages(store);
  }

  /** The whole story of a message; empty if it is unknown, or gone after the retention. */
  public Optional<MessageStory> find(UUID id) {
    return store.find(id);
  }

  /**
   * A page of the messages in the log. What was found by a key or a correlation is a look-up; other
   * questions walk the log for a bounded while, so a page may have fewer messages than asked for,
   * or none, and still say how to go on.
   *
   * @param after {@link MessagePage#next} of the page before; none = the first page
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

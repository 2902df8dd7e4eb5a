package io.posthorn.core.operate.story;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list of messages.
 *
 * @param next where the next page begins; none = there is nothing more
 * @param walked the log was walked, because no index serves the question; a page may have fewer
 *     messages than asked for then, and still a next one
 */
public record MessagePage(List<ListedMessage> messages, @Nullable Long next, boolean walked) {}

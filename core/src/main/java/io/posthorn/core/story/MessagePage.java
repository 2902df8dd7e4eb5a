package io.posthorn.core.story;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list of messages.
 *
 * @param next where the next page begins; none = there is nothing more
 */
public record MessagePage(List<ListedMessage> messages, @Nullable Long next) {}

package io.posthorn.core.operate.story;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of messages.
 *
 * @param next where the next page begins; null if this is the last page
 * @param walked whether the log was scanned, because no index serves the query. Such a page may
 *     have fewer messages than requested although there is a next one
 */
public record MessagePage(List<ListedMessage> messages, @Nullable Long next, boolean walked) {}

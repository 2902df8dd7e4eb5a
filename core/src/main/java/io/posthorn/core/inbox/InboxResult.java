package io.posthorn.core.inbox;

import java.util.List;

/**
 * What the inbox decided about messages.
 *
 * @param verdicts one per message, in their order
 * @param deaths the messages that became dead letters
 */
public record InboxResult(List<InboxVerdict> verdicts, List<Death> deaths) {}

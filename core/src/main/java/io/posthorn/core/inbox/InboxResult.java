package io.posthorn.core.inbox;

import java.util.List;

/**
 * What the inbox made of messages.
 *
 * @param verdicts one for each message, in their order
 * @param deaths those that became dead letters
 */
public record InboxResult(List<InboxVerdict> verdicts, List<Death> deaths) {}

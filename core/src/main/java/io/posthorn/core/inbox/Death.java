package io.posthorn.core.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.source.Received;

/**
 * A received message that has just become a dead letter. A copy of a dead letter is not reported.
 */
public record Death(Received message, Reason reason) {}

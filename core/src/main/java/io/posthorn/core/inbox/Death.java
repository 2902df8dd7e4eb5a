package io.posthorn.core.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.source.Received;

/** A received message that became a dead letter. A copy of what is one already is none. */
public record Death(Received message, Reason reason) {}

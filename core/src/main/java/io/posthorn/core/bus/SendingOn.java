package io.posthorn.core.bus;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Adding;
import io.posthorn.core.outbox.Outbox;
import java.util.function.Function;

/**
 * What handlers need to send messages of their own.
 *
 * @param messages converts an event to a message
 * @param adding adds a message to the handler's transaction
 */
record SendingOn(Function<Object, Message.Builder> messages, Outbox outbox, Adding adding) {}

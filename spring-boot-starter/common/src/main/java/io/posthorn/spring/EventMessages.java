package io.posthorn.spring;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadWriter;

/** Turns events into messages. */
public final class EventMessages {
  private final MessageTypes types;
  private final PayloadWriter writer;

  public EventMessages(MessageTypes types, PayloadWriter writer) {
    this.types = types;
    this.writer = writer;
  }

  /**
   * Returns the message of an event; throws if the event's class is not registered. A message made
   * inside a handler is marked as caused by the message being handled.
   */
  public Message messageOf(Object event) {
    return Handling.following(startOf(event));
  }

  /** Returns the message of an event without a cause, for callers that set the cause themselves. */
  public Message.Builder startOf(Object event) {
    return types.message(event, writer);
  }
}

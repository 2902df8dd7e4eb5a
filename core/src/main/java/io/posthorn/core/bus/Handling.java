package io.posthorn.core.bus;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler: the message, and the transaction that the handler works in. Good until the
 * handler returns, on its own thread.
 */
public final class Handling {
  private static final ThreadLocal<@Nullable Handling> CURRENT = new ThreadLocal<>();

  private final Received received;
  private final int attempt;
  private final boolean outOfOrder;
  private final Connection tx;
  private final SendingOn sendingOn;
  private boolean added;

  Handling(Received received, int attempt, boolean outOfOrder, Connection tx, SendingOn sendingOn) {
    this.received = received;
    this.attempt = attempt;
    this.outOfOrder = outOfOrder;
    this.tx = tx;
    this.sendingOn = sendingOn;
  }

  /** With its headers, its key and its bytes. */
  public Message message() {
    return received.message();
  }

  /** Who sent it; ids are unique within a sender. */
  public String sender() {
    return received.sender();
  }

  /** From 1. The quick tries in place of a direct subscription are one attempt. */
  public int attempt() {
    return attempt;
  }

  /** A younger message of its key was handled before. */
  public boolean outOfOrder() {
    return outOfOrder;
  }

  /** The broker thinks that it handed this out before: a hint and no more. */
  public boolean redelivered() {
    return received.redelivered();
  }

  /**
   * What ties together all that follows from one thing: the message's own or, if it has none or one
   * too long to be kept, its id.
   */
  public String correlationId() {
    return message().correlationId();
  }

  /**
   * Of the running transaction, in which the receipt stands too. It is committed after the handler
   * has returned, and cannot be committed, rolled back or closed here.
   */
  public Connection connection() {
    return tx;
  }

  /** Adds a message made from this event to the transaction, as a consequence of this one. */
  public void publish(Object event) {
    add(sendingOn.messages().apply(event));
  }

  /**
   * Adds a message to the transaction, as a consequence of this one: with its correlation id and
   * trace context, and its id as the causation id, unless the message has its own.
   */
  public void add(Message.Builder message) {
    sendingOn.adding().accept(tx, follow(message));
    added = true;
  }

  private Message follow(Message.Builder next) {
    next.headerIfAbsent(Headers.CORRELATION_ID, correlationId());
    next.headerIfAbsent(Headers.CAUSATION_ID, message().id().toString());
    Message following = sendingOn.outbox().traced(next.build());
    return following.headers().containsKey(Headers.TRACEPARENT)
        ? following
        : following.withTrace(trace());
  }

  /** Of the message: what this program does not trace itself it passes on. */
  private Map<String, String> trace() {
    Map<String, String> context = new HashMap<>(message().headers());
    context.keySet().retainAll(Set.of(Headers.TRACEPARENT, Headers.TRACESTATE));
    return context.containsKey(Headers.TRACEPARENT) ? context : Map.of();
  }

  boolean added() {
    return added;
  }

  /**
   * Gives a message that is published on this thread what follows from the one being handled, if
   * there is one: correlation id, causation id and trace context.
   */
  public static Message following(Message.Builder next) {
    Handling current = CURRENT.get();
    return current == null ? next.build() : current.follow(next);
  }

  void call(EventHandler<Message> handler) throws Exception {
    CURRENT.set(this);
    try {
      handler.handle(message(), this);
    } finally {
      CURRENT.remove();
    }
  }
}

package io.posthorn.core.bus;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.MessageDraft;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler: the message, and the transaction that the handler works in. Use it only on
 * the handler's thread, and only until the handler returns.
 */
public final class Handling {
  private static final ThreadLocal<@Nullable Handling> CURRENT = new ThreadLocal<>();

  private final Received received;
  private final int attempt;
  private final boolean outOfOrder;
  private final Connection tx;
  private final SendingOn sendingOn;
  private Message message;
  private boolean added;

  Handling(Received received, int attempt, boolean outOfOrder, Connection tx, SendingOn sendingOn) {
    this.received = received;
    this.attempt = attempt;
    this.outOfOrder = outOfOrder;
    this.tx = tx;
    this.sendingOn = sendingOn;
    this.message = received.message();
  }

  /**
   * The message with its headers, its key and its payload. If upcasters converted it, the payload
   * and the version are those that the handler reads; see {@link #written}.
   */
  public Message message() {
    return message;
  }

  /** The message as it was written, before any upcaster. */
  public Message written() {
    return received.message();
  }

  /**
   * The version of the payload's schema that the message was written in. After upcasters, {@code
   * message().schemaVersion()} is later.
   */
  public int schemaVersion() {
    return received.message().schemaVersion();
  }

  /** The sender of the message. Ids are unique within a sender. */
  public String sender() {
    return received.sender();
  }

  /**
   * The number of the attempt, from 1. The quick tries of a direct subscription are one attempt.
   */
  public int attempt() {
    return attempt;
  }

  /** Whether a newer message of the same key was handled before. */
  public boolean outOfOrder() {
    return outOfOrder;
  }

  /** Whether the broker believes that it delivered this message before. This is only a hint. */
  public boolean redelivered() {
    return received.redelivered();
  }

  /**
   * The id that the message shares with everything that follows from it; see {@link
   * Message#correlationId}.
   */
  public String correlationId() {
    return message().correlationId();
  }

  /**
   * The connection of the running transaction, which also contains the receipt. The transaction is
   * committed after the handler has returned. Calls that commit, roll back or close it fail.
   */
  public Connection connection() {
    return tx;
  }

  /**
   * Starts the message of an event, for you to complete; {@link MessageDraft#add} adds it as {@link
   * #add} does.
   */
  public MessageDraft message(Object event) {
    return new MessageDraft(sendingOn.messages().apply(event), this::add);
  }

  /** Converts this event to a message that follows from the handled one, and adds it. */
  public void publish(Object event) {
    add(sendingOn.messages().apply(event));
  }

  /**
   * Adds a message that follows from the handled one to the transaction. Unless the message sets
   * them itself, it gets the correlation id and the trace context of the handled message, and that
   * message's id as its causation id.
   */
  public void add(Message.Builder message) {
    add(message, false);
  }

  private void add(Message.Builder message, boolean ordered) {
    sendingOn.adding().add(tx, follow(message), ordered);
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

  /** The handled message's trace context, which is passed on if this program has no tracing. */
  private Map<String, String> trace() {
    Map<String, String> context = new HashMap<>(message().headers());
    context.keySet().retainAll(Set.of(Headers.TRACEPARENT, Headers.TRACESTATE));
    return context.containsKey(Headers.TRACEPARENT) ? context : Map.of();
  }

  boolean added() {
    return added;
  }

  /**
   * Builds a message that is published on this thread. If a handler is running, the message follows
   * from the handled one: it gets its correlation id, causation id and trace context.
   */
  public static Message following(Message.Builder next) {
    Handling current = CURRENT.get();
    return current == null ? next.build() : current.follow(next);
  }

  /** Calls the handler with the message in the version that it reads. */
  void call(EventHandler<Message> handler, Message readable) throws Exception {
    message = readable;
    CURRENT.set(this);
    try {
      handler.handle(readable, this);
    } finally {
      CURRENT.remove();
    }
  }
}

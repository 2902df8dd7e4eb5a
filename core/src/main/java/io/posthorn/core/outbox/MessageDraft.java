package io.posthorn.core.outbox;

import io.posthorn.core.message.Message;
import java.time.Instant;
import java.util.UUID;

/** The message of an event, for you to complete and then {@link #add}. */
public final class MessageDraft {
  private final Message.Builder message;
  private final Completed adding;

  /** Adds a completed draft to the caller's transaction. */
  @FunctionalInterface
  public interface Completed {
    /**
     * Adds the message.
     *
     * @param ordered whether {@link #addOrdered} was called
     */
    void add(Message.Builder message, boolean ordered);
  }

  /** Starts a draft. */
  public MessageDraft(Message.Builder message, Completed adding) {
    this.message = message;
    this.adding = adding;
  }

  /** Sets an id of your own; see {@link Message.Builder#id}. */
  public MessageDraft id(UUID id) {
    message.id(id);
    return this;
  }

  /** Sets a header, and replaces any earlier value of it. */
  public MessageDraft header(String name, String value) {
    message.header(name, value);
    return this;
  }

  /** Sets the id that this message shares with everything that follows from it. */
  public MessageDraft correlationId(String value) {
    message.correlationId(value);
    return this;
  }

  /** Sets the id of the message that directly caused this one. */
  public MessageDraft causationId(String value) {
    message.causationId(value);
    return this;
  }

  /** When the event happened in the business; default: now. */
  public MessageDraft occurredAt(Instant time) {
    message.occurredAt(time);
    return this;
  }

  /** Schedules the message: it is not delivered before the database's clock shows this time. */
  public MessageDraft notBefore(Instant time) {
    message.notBefore(time);
    return this;
  }

  /** Orders the message by this key instead of the event's own. */
  public MessageDraft key(String aggregateType, String aggregateId) {
    message.key(aggregateType, aggregateId);
    return this;
  }

  /** Adds the message to the transaction. */
  public void add() {
    adding.add(message, false);
  }

  /**
   * Adds the message to the transaction, and locks its key until the transaction ends; see {@link
   * Outbox#addOrdered}.
   */
  public void addOrdered() {
    adding.add(message, true);
  }
}

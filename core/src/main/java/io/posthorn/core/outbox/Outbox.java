package io.posthorn.core.outbox;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.store.OutboxStore;
import io.posthorn.core.trace.SafeTracing;
import io.posthorn.core.trace.Tracing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stores messages in your own transaction: if it commits they will be delivered, if it rolls back
 * they never existed. Nothing here commits, rolls back or closes your connection. Safe for use by
 * many threads.
 */
public final class Outbox {
  private final OutboxStore store;
  private final MessageTypes types;
  private final Limits limits;
  private final PayloadCipher cipher;
  private final Tracing tracing;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  private Outbox(Builder builder) {
    this.store = builder.store;
    this.types = builder.types;
    this.limits = builder.limits;
    this.cipher = builder.cipher;
    this.tracing = SafeTracing.of(builder.tracing);
  }

  /** An outbox in this store for these types. */
  public static Builder on(OutboxStore store, MessageTypes types) {
    return new Builder(store, types);
  }

  /**
   * Adds one message to the connection's running transaction, in whatever database that is; the
   * relays of that database deliver it.
   */
  public void add(Connection tx, Message message) {
    add(tx, List.of(message), false);
  }

  /** Adds many messages, in this order, in one round trip. */
  public void add(Connection tx, List<Message> messages) {
    add(tx, messages, false);
  }

  /**
   * Adds messages after locking their keys until the transaction ends. Use it where the transaction
   * has not locked or version-checked the aggregate before: otherwise two transactions that change
   * it at the same time may get their messages in the other order. Costs one round trip more.
   */
  public void addOrdered(Connection tx, List<Message> messages) {
    add(tx, messages, true);
  }

  /** Throws what {@code add} would throw before it asks the database. */
  public void check(Message message) {
    limits.check(message);
    types.check(message);
  }

  /**
   * The message with the trace context of this thread, unless it has one. {@code add} does that;
   * call it for a message that you keep and add later.
   */
  public Message traced(Message message) {
    return message.headers().containsKey(Headers.TRACEPARENT)
        ? message
        : message.withTrace(tracing.current());
  }

  /**
   * Tells the relays of this program that a transaction has been committed, so that they look at
   * once. Without it they look within a moment.
   */
  public void wake() {
    listeners.forEach(Listener::committed);
  }

  /** For relays in this program; see {@code Relay.Builder.wokenBy}. */
  public void listen(Listener listener) {
    listeners.add(listener);
  }

  public void unlisten(Listener listener) {
    listeners.remove(listener);
  }

  private void add(Connection tx, List<Message> messages, boolean ordered) {
    if (messages.isEmpty()) {
      return;
    }
    requireTransaction(tx, messages.get(0));
    List<Message> stored = new ArrayList<>(messages.size());
    List<String> cipherKeys = new ArrayList<>(messages.size());
    for (Message given : messages) {
      check(given);
      Message message = traced(given);
      String keyId = cipher.keyId(message);
      limits.checkCipherKey(message, keyId);
      stored.add(keyId == null ? message : message.withPayload(cipher.encrypt(message, keyId)));
      cipherKeys.add(keyId == null ? "" : keyId);
    }
    requireOwnIds(messages);
    store.append(tx, stored, cipherKeys, ordered);
    listeners.forEach(Listener::added);
  }

  private static void requireOwnIds(List<Message> messages) {
    Set<UUID> ids = new HashSet<>();
    for (Message message : messages) {
      if (!ids.add(message.id())) {
        throw new PosthornException(
            ErrorCode.DUPLICATE_ID,
            "message '%s' (%s) was not added: another one of the same call has its id, and receivers take one of an id. Message.with… keeps the id; build each message with Message.of."
                .formatted(message.type(), message.id()));
      }
    }
  }

  private static void requireTransaction(Connection tx, Message first) {
    try {
      if (tx.isClosed()) {
        throw new PosthornException(
            ErrorCode.NO_TRANSACTION,
            "message '%s' was not added: the connection is closed. Pass the connection of the running transaction."
                .formatted(first.type()));
      }
      if (tx.getAutoCommit()) {
        throw new PosthornException(
            ErrorCode.NO_TRANSACTION,
            "message '%s' was not added: the connection is in auto-commit mode, so it would be sent even if your own change is rolled back. Call setAutoCommit(false) before your first statement, or pass the connection of the running transaction."
                .formatted(first.type()));
      }
    } catch (SQLException e) {
      throw new PosthornException(
          ErrorCode.NO_TRANSACTION,
          "message '%s' was not added: the connection does not tell whether a transaction is running. See the cause."
              .formatted(first.type()),
          e);
    }
  }

  /** Hears of messages that relays in this program may want to look for. */
  public interface Listener {
    /** Messages were added; their transaction will commit soon, or not at all. */
    void added();

    /** A transaction was committed. */
    void committed();
  }

  /** What an outbox needs to know. */
  public static final class Builder {
    private final OutboxStore store;
    private final MessageTypes types;
    private Limits limits = Limits.DEFAULT;
    private PayloadCipher cipher = PayloadCipher.NONE;
    private Tracing tracing = Tracing.NONE;

    private Builder(OutboxStore store, MessageTypes types) {
      this.store = store;
      this.types = types;
    }

    /** Default: payloads up to 1 MiB. */
    public Builder limits(Limits yours) {
      this.limits = yours;
      return this;
    }

    /** Default: payloads are stored as they are. */
    public Builder cipher(PayloadCipher yours) {
      this.cipher = yours;
      return this;
    }

    /** Stores with each message which trace it belongs to; default: none. */
    public Builder tracing(Tracing yours) {
      this.tracing = yours;
      return this;
    }

    public Outbox build() {
      return new Outbox(this);
    }
  }
}

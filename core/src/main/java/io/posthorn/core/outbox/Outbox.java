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
 * Adds messages to your own transaction. If the transaction commits, they will be delivered; if it
 * rolls back, they never existed.
 *
 * <p>An outbox never commits, rolls back or closes your connection. It is safe for use by many
 * threads.
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

  /** Starts an outbox in this store that accepts these types. */
  public static Builder on(OutboxStore store, MessageTypes types) {
    return new Builder(store, types);
  }

  /**
   * Adds one message to the connection's running transaction. The relays of that connection's
   * database deliver it after the commit.
   *
   * @throws PosthornException if the message is invalid, or no transaction is running
   */
  public void add(Connection tx, Message message) {
    add(tx, List.of(message), false);
  }

  /** Adds several messages in this order, with a single round trip to the database. */
  public void add(Connection tx, List<Message> messages) {
    add(tx, messages, false);
  }

  /** Adds one message, and locks its key; see {@link #addOrdered(Connection, List)}. */
  public void addOrdered(Connection tx, Message message) {
    add(tx, List.of(message), true);
  }

  /**
   * Adds messages, and locks their keys until the transaction ends. Use it if your transaction has
   * not locked or version-checked the aggregate: otherwise the messages of two concurrent
   * transactions may be delivered in the opposite order of their changes. It costs one more round
   * trip.
   */
  public void addOrdered(Connection tx, List<Message> messages) {
    add(tx, messages, true);
  }

  /**
   * Checks a message as {@code add} does before it uses the database.
   *
   * @throws PosthornException if {@code add} would refuse the message
   */
  public void check(Message message) {
    limits.check(message);
    types.check(message);
  }

  /**
   * Returns the message with the trace context of the current thread, or unchanged if it has one.
   * {@code add} does this itself; call it only for a message that you keep and add later.
   */
  public Message traced(Message message) {
    return message.headers().containsKey(Headers.TRACEPARENT)
        ? message
        : message.withTrace(tracing.current());
  }

  /**
   * Wakes the relays of this program after a commit, so that they look for messages at once.
   * Without this call they find the messages within a moment.
   */
  public void wake() {
    listeners.forEach(Listener::committed);
  }

  /** Notifies this listener from now on. Relays use it; see {@code Relay.Builder.wokenBy}. */
  public void listen(Listener listener) {
    listeners.add(listener);
  }

  /** Stops notifying this listener. */
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
            "message '%s' (%s) was not added: another message of the same call has the same id, and receivers accept only one message per id. Message.with… keeps the id; build each message with Message.of."
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
          "message '%s' was not added: the connection could not report whether a transaction is running. See the cause."
              .formatted(first.type()),
          e);
    }
  }

  /** Is notified when relays in this program may find new messages. */
  public interface Listener {
    /** Messages were added; their transaction will commit soon, or not at all. */
    void added();

    /** A transaction was committed. */
    void committed();
  }

  /** Configures an outbox. */
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

    /** The largest message to accept; default: payloads of up to 1 MiB. */
    public Builder limits(Limits limits) {
      this.limits = limits;
      return this;
    }

    /** Encrypts payloads before they are stored; default: they are stored unencrypted. */
    public Builder cipher(PayloadCipher cipher) {
      this.cipher = cipher;
      return this;
    }

    /** Stores the trace context of the adding thread with each message; default: none. */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /** Builds the outbox. */
    public Outbox build() {
      return new Outbox(this);
    }
  }
}

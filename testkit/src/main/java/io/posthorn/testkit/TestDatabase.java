package io.posthorn.testkit;

import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.store.Store;
import io.posthorn.core.store.Waiting;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database with the empty tables of a store, which a {@link Contract} works on. It reads what the
 * store itself has no method for, and does what only time or a person can do.
 */
public interface TestDatabase extends AutoCloseable {
  /** Where the application writes. */
  DataSource dataSource();

  Store store();

  /** The same store, to receive messages with. */
  InboxStore inbox();

  /** The same store, to operate it with. */
  OperatorStore operator();

  /** The same tables as another process sees them: nothing is remembered from the first. */
  Store anotherStore();

  /** How many lanes the destinations of this database have. */
  default int lanes() {
    return 1;
  }

  /** How many outcomes of operations' messages are stored and not yet added up. */
  long outcomes();

  /** Lets this much time pass for everything that is stored. */
  void pass(Duration time);

  /** Adds a message as a transaction would that began on the day of another message. */
  void addOnTheDayOf(Connection tx, UUID other, Message message);

  void pause(String destination, boolean paused);

  void limit(String destination, double ratePerSecond);

  /** Releases a held key, as a person does. */
  void letGo(String destination, Key key);

  /** How many statements wait for a lock right now. */
  int waitingForLocks();

  /** The ids of all messages in the log, in order. */
  List<UUID> logged();

  /** The parked messages, in the order in which they may be sent. */
  List<Parked> parked(String destination);

  /** The dead letters, in the order of the log. */
  List<Dead> dead(String destination);

  /** The attempts, in order. */
  List<Attempt> attempts(String destination, UUID message);

  @Override
  void close();

  /** A parked message; {@code dueIn} is empty while it waits for its turn. */
  record Parked(
      UUID id,
      String content,
      Waiting waiting,
      int attempts,
      @Nullable Duration dueIn,
      @Nullable String reason) {}

  /** A dead letter, with all that a person needs to fix it. */
  record Dead(
      UUID id,
      UUID messageId,
      String type,
      int schemaVersion,
      @Nullable Key key,
      String content,
      String contentType,
      Map<String, String> headers,
      @Nullable String cipherKey,
      Instant occurredAt,
      Instant recordedAt,
      long seq,
      String reason,
      String lastReason,
      String error,
      @Nullable String stack,
      int attempts,
      Instant firstFailedAt,
      Instant lastFailedAt,
      Instant createdAt) {}

  /** One attempt in the history of a message. */
  record Attempt(int number, String outcome, @Nullable String reason, @Nullable String error) {}
}

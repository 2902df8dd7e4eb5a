package io.posthorn.postgresql.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Settings;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parks and buries received messages in the transaction of the consumer. The consumer holds no
 * lane, so it cannot know whether the message in front of a parked one is just being settled. Such
 * a message waits as BEHIND until a relay has checked (see {@code ParkedReader}).
 */
final class ArrivalParker {
  static final Sql PARK =
      Sql.of(
          "park received",
          """
          WITH v AS MATERIALIZED (
            SELECT CAST(:verdicts AS text[]) AS verdicts
          )
          SELECT v.verdicts,
                 posthorn_park(:consumer, v.verdicts, :waiting, :delay, :attempts, :reason, :error, :stack,
                               CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schemaVersions AS int[]),
                               CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                               CAST(:contentTypes AS text[]), CAST(:headers AS text[]), CAST(:occurredAts AS text[]),
                               CAST(:notBefores AS text[]), CAST(:sequences AS bigint[])) AS parked
            FROM v
          """);

  // Writes receipts and messages in one round trip.
  static final Sql STORE =
      Sql.of(
          "store received",
          """
          WITH v AS MATERIALIZED (
            SELECT posthorn_receive(:consumer, 'STORE', false, :receipts, false,
                                    CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:days AS int[]),
                                    CAST(:digests AS bytea[]), CAST(:types AS text[]), CAST(:aggregateTypes AS text[]),
                                    CAST(:keys AS text[]), CAST(:sequences AS bigint[])) AS verdicts
          )
          SELECT v.verdicts,
                 posthorn_park(:consumer, v.verdicts, :waiting, :delay, :attempts, :reason, :error, :stack,
                               CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schemaVersions AS int[]),
                               CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                               CAST(:contentTypes AS text[]), CAST(:headers AS text[]), CAST(:occurredAts AS text[]),
                               CAST(:notBefores AS text[]), CAST(:sequences AS bigint[])) AS parked
            FROM v
          """);

  private static final Sql BURY =
      Sql.of(
          "bury received",
          """
          SELECT posthorn_bury(:consumer, :reason, :error, :stack, :fingerprint, :attempts, :hold,
                               CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schemaVersions AS int[]),
                               CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                               CAST(:contentTypes AS text[]), CAST(:headers AS text[]), CAST(:occurredAts AS text[]),
                               CAST(:notBefores AS text[]), CAST(:sequences AS bigint[]))
          """);

  /** Why a message waits, and for how long. A message that only waits for its turn has neither. */
  record Wait(@Nullable Waiting waiting, Duration delay, int attempts, @Nullable Reason reason) {
    static final Wait TURN = new Wait(null, Duration.ZERO, 0, null);
  }

  /** The verdicts, and the sender and id of each message that was parked. */
  record Parked(List<String> verdicts, Set<List<String>> messages) {
    boolean has(Received received) {
      return messages.contains(List.of(received.sender(), received.message().id().toString()));
    }
  }

  private final Connection tx;
  private final TableNames tables;
  private final Consumer consumer;

  ArrivalParker(Connection tx, TableNames tables, Consumer consumer) {
    this.tx = tx;
    this.tables = tables;
    this.consumer = consumer;
  }

  Parked store(ReceivedBatch arrivals) throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, STORE)) {
      arrivals.setIdentities(query).set("receipts", !consumer.idempotent());
      return park(query, arrivals, Wait.TURN);
    }
  }

  /** Parks the messages whose verdict is PARKED. */
  Parked park(ReceivedBatch arrivals, List<String> verdicts, Wait wait) throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, PARK)) {
      return park(query.setTexts("verdicts", verdicts), arrivals, wait);
    }
  }

  private Parked park(Query query, ReceivedBatch arrivals, Wait wait) throws SQLException {
    Reason reason = wait.reason;
    arrivals
        .setMessages(query)
        .set("consumer", consumer.name())
        .set("waiting", wait.waiting == null ? null : wait.waiting.name())
        .set("delay", wait.delay)
        .set("attempts", wait.attempts)
        .set("reason", reason == null ? null : reason.code())
        .set("error", reason == null ? null : reason.text())
        .set("stack", reason == null ? null : reason.stack());
    return Objects.requireNonNull(
        query.first(
            row ->
                new Parked(
                    List.of((String[]) row.getArray("verdicts").getArray()),
                    pairs(row.getArray("parked")))));
  }

  private static Set<List<String>> pairs(Array array) throws SQLException {
    return Arrays.stream((Object[]) array.getArray())
        .map(pair -> List.of((String[]) pair))
        .collect(Collectors.toSet());
  }

  /**
   * Writes a dead letter without an attempt, because no handler has seen the message. Returns false
   * if the message is a dead letter already.
   */
  boolean bury(Received message, Reason reason) throws SQLException {
    return bury(message, reason, 0, false);
  }

  /** Writes a dead letter for a message that the handler rejected. */
  boolean buryRejected(Received message, Reason reason) throws SQLException {
    return bury(message, reason, 1, consumer.afterDead() == AfterDead.HOLD);
  }

  private boolean bury(Received message, Reason reason, int attempts, boolean hold)
      throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, BURY)) {
      return Boolean.TRUE.equals(
          new ReceivedBatch(List.of(message))
              .setMessages(query)
              .set("consumer", consumer.name())
              .set("reason", reason.code())
              .set("error", reason.text())
              .set("stack", reason.stack())
              .set("fingerprint", Fingerprint.of(reason))
              .set("attempts", attempts)
              .set("hold", hold)
              .first(row -> row.getLong(1) > 0));
    }
  }
}

package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that write one message per transaction, as fast as commits allow. They use {@link
 * Outbox#add}, or a plain INSERT of the same values into a plain table with the same columns.
 */
final class Writers implements AutoCloseable {
  private static final int THREADS = 8;

  /** A table with the log's columns, their defaults and one index. */
  private static final String TABLE =
      "CREATE TABLE bench_plain (LIKE posthorn_log INCLUDING DEFAULTS, PRIMARY KEY (id))";

  /** Inserts the same columns as {@code add}. */
  private static final String INSERT =
      """
      INSERT INTO bench_plain
             (id, type, aggregate_type, key, payload, occurred_at)
      VALUES (?, ?, ?, ?, ?, ?)
      """;

  /** Adds a message to the running transaction. */
  @FunctionalInterface
  interface Add {
    void add(Connection tx, Message message) throws SQLException;
  }

  private final Database database;
  private final HikariDataSource pool;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final Outbox outbox;
  private int written;

  Writers(Database database) {
    this(database, List.of());
  }

  private Writers(Database database, List<String> before) {
    this.database = database;
    before.forEach(database::execute);
    database.execute(TABLE);
    this.pool = Server.pool(database, THREADS);
    this.outbox = Outbox.on(PostgresqlStore.on(pool), MessageTypes.named(Backlog.TYPE)).build();
  }

  /** Creates writers into a log without the indexes that find messages. */
  static Writers withoutFinding(Database database) {
    return new Writers(
        database,
        List.of("DROP INDEX posthorn_log_key_seq_idx", "DROP INDEX posthorn_log_expr_seq_idx"));
  }

  /** Empties the tables, so that earlier writes do not affect the next measurement. */
  void empty() {
    database.execute("TRUNCATE posthorn_log", "TRUNCATE bench_plain", "CHECKPOINT");
  }

  double outboxPerSecond(int messages) {
    return perSecond(messages, outbox::add);
  }

  double plainPerSecond(int messages) {
    return perSecond(messages, Writers::insert);
  }

  private double perSecond(int messages, Add add) {
    int each = Math.max(1, messages / THREADS);
    List<Callable<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int first = written;
      written += each;
      writers.add(() -> write(first, each, add));
    }
    try {
      long began = System.nanoTime();
      int committed = 0;
      for (Future<Integer> writer : threads.invokeAll(writers)) {
        committed += writer.get();
      }
      return committed / ((System.nanoTime() - began) / 1e9);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    } catch (ExecutionException e) {
      throw new BenchException("a writer failed", Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  private int write(int first, int count, Add add) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      for (int n = first; n < first + count; n++) {
        add.add(connection, message(n));
        connection.commit();
      }
      return count;
    }
  }

  /**
   * Creates message n with a scattered key. If the keys followed those of the letters, either all
   * messages or none would meet a letter of their key.
   */
  static Message message(int n) {
    return message(n, (int) (n * 7_919L % Backlog.KEYS));
  }

  static Message message(int n, int key) {
    StringBuilder json = new StringBuilder(Backlog.PAYLOAD).append("{\"n\":").append(n);
    json.append(",\"text\":\"")
        .append("x".repeat(Backlog.PAYLOAD - json.length() - 2))
        .append("\"}");
    return Message.of(Backlog.TYPE)
        .key("order", "key-" + key)
        .json(json.toString().getBytes(StandardCharsets.UTF_8))
        .build();
  }

  private static void insert(Connection tx, Message message) throws SQLException {
    try (PreparedStatement insert = tx.prepareStatement(INSERT)) {
      insert.setObject(1, message.id());
      insert.setString(2, message.type());
      insert.setString(3, Objects.requireNonNull(message.key()).aggregateType());
      insert.setString(4, Objects.requireNonNull(message.key()).id());
      insert.setBytes(5, message.payload());
      insert.setObject(6, message.occurredAt().atOffset(ZoneOffset.UTC));
      insert.executeUpdate();
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    pool.close();
  }
}

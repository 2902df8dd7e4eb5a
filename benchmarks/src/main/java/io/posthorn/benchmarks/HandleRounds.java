package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Received;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs the same handler, one UPDATE by key, behind a subscription and in a plain loop. Both get the
 * same messages in the same batches, with one commit per batch.
 */
final class HandleRounds implements AutoCloseable {
  private static final String TYPE = "Paid";
  private static final int KEYS = 10_000;
  private static final String UPDATE = "UPDATE account SET balance = balance + 1 WHERE id = ?";

  final Series handled = new Series();
  final Series unnumbered = new Series();
  final Series plain = new Series();

  private final HikariDataSource pool;
  private final HandleSource source = new HandleSource();
  private final Bus bus;
  private final Database database;
  private final int messages;
  private final int threads;
  private final int batch;
  private long sequence;

  HandleRounds(Database database, int messages, int threads, int batch) {
    this.database = database;
    this.messages = messages;
    this.threads = threads;
    this.batch = batch;
    this.pool = Server.pool(database, threads + 6);
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 50)",
        "INSERT INTO account SELECT n, 0 FROM generate_series(0, %d) AS n".formatted(KEYS - 1));
    PostgresqlStore store = PostgresqlStore.on(pool);
    MessageTypes types = MessageTypes.named(TYPE);
    this.bus =
        Bus.on(store, pool, Outbox.on(store, types).build(), types)
            .source(source)
            .relay(Relay.on(store, "bench", "bench"))
            .build();
    bus.subscribe("accounts")
        .on(TYPE, (message, handling) -> pay(handling.connection(), message))
        .threads(threads)
        .batch(batch);
    bus.start();
  }

  private static void pay(Connection tx, Message message) throws SQLException {
    try (PreparedStatement update = tx.prepareStatement(UPDATE)) {
      update.setInt(1, Integer.parseInt(new String(message.payload(), UTF_8)));
      update.executeUpdate();
    }
  }

  /** Measures each of the three ways once. */
  void round() {
    try {
      handled.add(handledPerSecond(true));
      plain.add(plainPerSecond());
      unnumbered.add(handledPerSecond(false));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
  }

  void forget() {
    List.of(handled, unnumbered, plain).forEach(Series::forget);
  }

  /** Returns the number of handled messages of all rounds, including warm-up. */
  double balance() {
    return database.number("SELECT sum(balance) FROM account");
  }

  private double handledPerSecond(boolean numbered) throws InterruptedException {
    List<List<Received>> shares = shares(numbered);
    clean();
    long start = System.nanoTime();
    if (!source.fill(shares).await(10, TimeUnit.MINUTES)) {
      throw new BenchException("the messages were not handled within 10 minutes");
    }
    return messages * 1e9 / (System.nanoTime() - start);
  }

  private double plainPerSecond() throws InterruptedException {
    List<List<Received>> shares = shares(true);
    clean();
    CountDownLatch left = new CountDownLatch(threads);
    long start = System.nanoTime();
    for (List<Received> share : shares) {
      new Thread(
              () -> {
                plain(share);
                left.countDown();
              })
          .start();
    }
    if (!left.await(10, TimeUnit.MINUTES)) {
      throw new BenchException("the messages were not handled within 10 minutes");
    }
    return messages * 1e9 / (System.nanoTime() - start);
  }

  private void plain(List<Received> share) {
    for (int from = 0; from < share.size(); from += batch) {
      try (Connection tx = pool.getConnection()) {
        tx.setAutoCommit(false);
        for (Received received : share.subList(from, Math.min(share.size(), from + batch))) {
          pay(tx, received.message());
        }
        tx.commit();
        tx.setAutoCommit(true);
      } catch (SQLException e) {
        throw new BenchException("plain handling failed", e);
      }
    }
  }

  /** Cleans up, so that dead rows of one round do not slow down the next. */
  private void clean() {
    database.execute("VACUUM (ANALYZE)", "CHECKPOINT");
  }

  private List<List<Received>> shares(boolean numbered) {
    List<List<Received>> shares = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      shares.add(new ArrayList<>());
    }
    for (int i = 0; i < messages; i++) {
      int key = (int) ((i * 7919L) % KEYS);
      Message message =
          Message.of(TYPE)
              .key("Account", Integer.toString(key))
              .json(Integer.toString(key).getBytes(UTF_8))
              .build();
      // As with a broker, all messages of a key are in one feed.
      shares
          .get(key % threads)
          .add(new Received("bench", numbered ? message.withSequence(++sequence) : message));
    }
    return shares;
  }

  @Override
  public void close() {
    bus.close();
    pool.close();
  }
}

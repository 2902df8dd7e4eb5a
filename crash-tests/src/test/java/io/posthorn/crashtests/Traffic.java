package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.OutboxStore;
import io.posthorn.testkit.Oracle;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Producers at work: bursts, a hot key, transactions that stay open for long or are rolled back,
 * messages that fail, messages for later, and messages that nobody wants. A broken connection or a
 * dead server does not stop them.
 */
final class Traffic implements AutoCloseable {
  /** Delivered at its time, in no order. */
  static final String SCHEDULED = "Scheduled";

  /** When one dies, the rest of its key waits for a person. */
  static final String HOLDING = "Holding";

  /** No destination wants it. */
  static final String UNWANTED = "Unwanted";

  /** Known to old relays, which HOLDING is not. */
  static final String KNOWN = "Known";

  static final MessageTypes TYPES =
      MessageTypes.named(Oracle.TYPE, KNOWN, SCHEDULED, HOLDING, UNWANTED);

  /** What a destination must be routed to get everything but the unwanted. */
  static final List<String> WANTED = List.of(Oracle.TYPE, KNOWN, SCHEDULED, HOLDING);

  private static final Duration HEAD_START = Duration.ofMillis(300);

  /** One transaction of a producer. */
  private interface Work {
    void run(Connection tx) throws SQLException;
  }

  private final DataSource dataSource;
  private final Oracle oracle;
  private final Outbox outbox;
  private final long seed;
  private final AtomicInteger numbers = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  Traffic(DataSource dataSource, OutboxStore store, Oracle oracle, long seed) {
    this.dataSource = dataSource;
    this.oracle = oracle;
    this.outbox = Outbox.on(store, TYPES).build();
    this.seed = seed;
    oracle.keys(Keys.plain());
    oracle.keys(Keys.troubled());
    oracle.keys(Keys.late());
  }

  /** Messages that all arrive at once, in bursts. */
  Traffic plain() {
    return start(Keys.plain(), 30, this::burst);
  }

  /** Messages of which some fail. */
  Traffic troubled() {
    return start(Keys.troubled(), 80, this::burst);
  }

  /** Transactions that stay open while others commit. */
  Traffic late() {
    return start(Keys.late(), 10, this::late);
  }

  /** Keys whose messages are of two types in turn. */
  Traffic mixed() {
    return start(List.of("mixed-0", "mixed-1", "mixed-2"), 30, this::mixed);
  }

  /** Scheduled, held and unwanted messages. */
  Traffic odd() {
    return start(List.of(), 60, this::odd);
  }

  Traffic everything() {
    return plain().troubled().late().odd();
  }

  private interface Producer {
    void produce(Random random, List<String> keys) throws SQLException;
  }

  private Traffic start(List<String> keys, int pauseMillis, Producer producer) {
    Random random = new Random(seed + threads.size());
    Thread thread =
        new Thread(
            () -> {
              while (!stopped) {
                try {
                  producer.produce(random, keys);
                } catch (SQLException | PosthornException e) {
                  // The database is away: try again in a moment.
                  pause(50);
                }
                pause(random.nextInt(2 * pauseMillis) + 1);
              }
            },
            "producer-" + threads.size());
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return this;
  }

  private void burst(Random random, List<String> keys) throws SQLException {
    int size = random.nextInt(10) == 0 ? 1 + random.nextInt(60) : 1 + random.nextInt(5);
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      chosen.add(keys.get(random.nextInt(keys.size())));
    }
    boolean rollback = random.nextInt(10) == 0;
    inTransaction(tx -> oracle.produce(tx, outbox, chosen), !rollback);
  }

  private void late(Random random, List<String> keys) throws SQLException {
    String key = keys.get(random.nextInt(keys.size()));
    inTransaction(
        tx -> {
          oracle.produce(tx, outbox, List.of(key, key));
          pause(50 + random.nextInt(300));
          oracle.produce(tx, outbox, List.of(key));
        },
        true);
  }

  private void mixed(Random random, List<String> keys) throws SQLException {
    int n = numbers.incrementAndGet();
    String key = keys.get(random.nextInt(keys.size()));
    inTransaction(
        tx -> {
          for (String type : List.of(HOLDING, KNOWN)) {
            outbox.add(
                tx,
                Message.of(type).key("Mixed", key).json((key + " " + n).getBytes(UTF_8)).build());
          }
        },
        true);
  }

  private void odd(Random random, List<String> none) throws SQLException {
    int n = numbers.incrementAndGet();
    Instant due = Instant.now().plusMillis(random.nextInt(1_000)).plus(HEAD_START);
    inTransaction(
        tx -> {
          outbox.add(
              tx,
              Message.of(SCHEDULED)
                  .key("Scheduled", "scheduled-" + n % 5)
                  .json((SCHEDULED + " " + due.toEpochMilli()).getBytes(UTF_8))
                  .notBefore(due)
                  .build());
          outbox.add(tx, holding(n));
          outbox.add(tx, Message.of(UNWANTED).json(("unwanted " + n).getBytes(UTF_8)).build());
        },
        true);
  }

  /** Five of each key; the third is refused, so the fourth and the fifth must never arrive. */
  private static Message holding(int n) {
    String key = Keys.HELD + "-" + n / 5;
    return Message.of(HOLDING)
        .key("Holding", key)
        .json((key + " " + (n % 5 + 1)).getBytes(UTF_8))
        .build();
  }

  private void inTransaction(Work work, boolean commit) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      work.run(tx);
      if (commit) {
        tx.commit();
      } else {
        tx.rollback();
      }
    }
  }

  private static void pause(int millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }

  /** Lets running transactions end, and begins no more. */
  void stop() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    stop();
  }
}

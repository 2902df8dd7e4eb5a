package io.posthorn.postgresql.log;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.testkit.Oracle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Business transactions at their worst: they pause between insert and commit, take their id early
 * and then wait for a lock, roll back wholly or to a savepoint, run at all isolation levels, and
 * some stay open while hundreds of others begin and end.
 */
final class RandomWriters implements AutoCloseable {
  private static final int[] LEVELS = {
    Connection.TRANSACTION_READ_COMMITTED,
    Connection.TRANSACTION_READ_COMMITTED,
    Connection.TRANSACTION_REPEATABLE_READ,
    Connection.TRANSACTION_SERIALIZABLE
  };
  private static final int HOT = 4;
  private static final int COLD = 200;

  private final PostgresqlDatabase database;
  private final Oracle oracle;
  private final Outbox outbox;
  private final long seed;
  private final ExecutorService threads;
  private final List<Future<?>> running = new ArrayList<>();

  RandomWriters(PostgresqlDatabase database, Oracle oracle, long seed) {
    this.database = database;
    this.oracle = oracle;
    this.outbox = Outbox.on(database.store(), Oracle.TYPES).build();
    this.seed = seed;
    this.threads = Executors.newCachedThreadPool();
  }

  static List<String> keys() {
    return Stream.concat(
            IntStream.range(0, HOT).mapToObj(i -> "hot" + i),
            IntStream.range(0, COLD).mapToObj(i -> "cold" + i))
        .toList();
  }

  void start(int writers, int transactions) {
    for (int i = 0; i < writers; i++) {
      Random random = new Random(seed * 31 + i);
      running.add(threads.submit(() -> write(random, transactions)));
    }
  }

  boolean finished() {
    return running.stream().allMatch(Future::isDone);
  }

  private Void write(Random random, int transactions) throws SQLException {
    for (int i = 0; i < transactions; i++) {
      try (Connection connection = database.dataSource().getConnection()) {
        connection.setTransactionIsolation(LEVELS[random.nextInt(LEVELS.length)]);
        connection.setAutoCommit(false);
        try {
          transaction(connection, random);
        } catch (SQLException | PosthornException e) {
          // After a deadlock or a serialization failure, the business transaction did not happen.
          connection.rollback();
          if (!isConflict(e)) {
            throw e;
          }
        }
      }
    }
    return null;
  }

  private static boolean isConflict(Exception e) {
    SQLException cause = e instanceof SQLException sql ? sql : (SQLException) e.getCause();
    return cause != null && String.valueOf(cause.getSQLState()).startsWith("40");
  }

  private void transaction(Connection connection, Random random) throws SQLException {
    boolean straggler = random.nextInt(40) == 0;
    if (random.nextInt(3) == 0) {
      takeAnId(connection);
      pause(random, 2_000);
    }
    oracle.produce(connection, outbox, keys(random, straggler), random.nextInt(2_000));
    pause(random, straggler ? 300_000 : 1_500);
    if (random.nextInt(4) == 0) {
      Savepoint savepoint = connection.setSavepoint();
      oracle.produce(connection, outbox, keys(random, true), 0);
      pause(random, 500);
      if (random.nextBoolean()) {
        connection.rollback(savepoint);
      }
    }
    if (random.nextInt(10) == 0) {
      connection.rollback();
    } else {
      connection.commit();
    }
  }

  private static void takeAnId(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_current_xact_id()");
    }
  }

  private static List<String> keys(Random random, boolean cold) {
    return IntStream.rangeClosed(0, random.nextInt(4))
        .mapToObj(
            i ->
                !cold && random.nextInt(3) == 0
                    ? "hot" + random.nextInt(HOT)
                    : "cold" + random.nextInt(COLD))
        .toList();
  }

  // The test is about what happens between an insert and its commit.
  private static void pause(Random random, int mostMicros) {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(mostMicros)));
  }

  /** Rethrows the failure of a writer. */
  void join() throws Exception {
    for (Future<?> writer : running) {
      writer.get(2, TimeUnit.MINUTES);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}

package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.OracleReport;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** No message is lost, invented or reordered, whatever writers and readers do. */
class LogPropertyTest {
  private static final int WRITERS = 12;
  private static final int TRIES = 5;

  private interface Reading {
    LogCursor of(PostgresqlDatabase database, Oracle oracle, long seed);
  }

  @Test
  void whatever_writers_and_readers_do_every_message_arrives_in_order() throws Exception {
    for (int i = 0; i < 3; i++) {
      long seed = seed();
      assertThat(run(seed, 150, RandomReader::new).offenders()).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void a_cursor_by_number_loses_messages_in_the_same_test() throws Exception {
    long lost = 0;
    for (int i = 0; i < TRIES && lost == 0; i++) {
      lost = run(seed(), 60, (db, oracle, seed) -> WrongCursors.bySeq(db, oracle)).lost();
    }
    assertThat(lost).isPositive();
  }

  @Test
  void a_cursor_by_transaction_reorders_messages_in_the_same_test() throws Exception {
    long reordered = 0;
    for (int i = 0; i < TRIES && reordered == 0; i++) {
      OracleReport verdict = run(seed(), 60, (db, oracle, seed) -> WrongCursors.byXmin(db, oracle));
      assertThat(verdict.lost()).isZero();
      reordered = verdict.reordered();
    }
    assertThat(reordered).isPositive();
  }

  private static long seed() {
    return Long.getLong("posthorn.seed", ThreadLocalRandom.current().nextInt(1_000_000));
  }

  private static OracleReport run(long seed, int transactions, Reading reading) throws Exception {
    PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
    Oracle oracle = Oracle.in(database.dataSource()).keys(RandomWriters.keys());
    LogCursor cursor = reading.of(database, oracle, seed);
    try (RandomWriters writers = new RandomWriters(database, oracle, seed)) {
      writers.start(WRITERS, transactions);
      while (!writers.finished()) {
        cursor.step();
      }
      writers.join();
      Awaitility.await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofMinutes(1))
          .until(() -> !cursor.step());
      return oracle.verdict();
    } finally {
      database.discard();
    }
  }
}

package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.OracleReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The oracle finds the errors it exists for. */
class OracleTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final Oracle oracle =
      Oracle.in(database.dataSource()).keys(List.of("a", "b", "a long key: ü"));
  private final Outbox outbox = Outbox.on(database.store(), Oracle.TYPES).build();

  @AfterEach
  void discard() {
    database.discard();
  }

  private List<Message> produce(boolean commit, String... keys) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      List<Message> messages = oracle.produce(connection, outbox, List.of(keys), 100);
      if (commit) {
        connection.commit();
      }
      return messages;
    }
  }

  @Test
  void what_arrives_as_it_was_committed_is_clean() throws SQLException {
    produce(true, "a", "b", "a").forEach(oracle::observe);
    produce(true, "a long key: ü", "a").forEach(oracle::observe);
    oracle.assertClean();
    assertThat(oracle.verdict().committed()).isEqualTo(5);
    assertThat(oracle.committed()).isEqualTo(5);
    assertThat(oracle.distinct()).isEqualTo(5);
  }

  @Test
  void a_rolled_back_message_that_arrives_is_a_phantom() throws SQLException {
    produce(false, "a").forEach(oracle::observe);
    assertThat(oracle.verdict().phantom()).isEqualTo(1);
  }

  @Test
  void lost_reordered_and_damaged_messages_are_found_together() throws SQLException {
    List<Message> messages = produce(true, "a", "a", "a", "b");
    oracle.observe(messages.get(2));
    oracle.observe(messages.get(0));
    oracle.observe(messages.get(3).withPayload(new byte[] {1}));
    OracleReport verdict = oracle.verdict();
    assertThat(verdict.lost()).isEqualTo(2);
    assertThat(verdict.reordered()).isEqualTo(1);
    assertThat(verdict.corrupted()).isEqualTo(1);
  }

  @Test
  void observations_cross_processes_as_lines() throws SQLException {
    Oracle inAnotherProcess = Oracle.in(database.dataSource());
    List<String> lines = produce(true, "a", "a long key: ü").stream().map(Oracle::line).toList();
    lines.forEach(inAnotherProcess::observeLine);
    inAnotherProcess.observeLine("2026-11-15 INFO something else");
    inAnotherProcess.assertClean();
    assertThat(inAnotherProcess.observed()).isEqualTo(2);
  }

  @Test
  void two_hundred_thousand_messages_are_judged_in_a_moment() {
    database.execute("INSERT INTO oracle_entry SELECT 'a', n FROM generate_series(1, 200000) n");
    for (int n = 1; n <= 200_000; n++) {
      oracle.observeLine("oracle saw a " + n);
    }
    long start = System.nanoTime();
    oracle.assertClean();
    assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
  }

  @Test
  void many_messages_in_one_transaction_take_few_round_trips() throws SQLException {
    List<String> keys = Collections.nCopies(1_000, "a");
    produce(true, keys.toArray(String[]::new)).forEach(oracle::observe);
    oracle.assertClean();
  }
}

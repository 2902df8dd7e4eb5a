package io.posthorn.postgresql.operate.doctor;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Head;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestLane;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Transactions of another database of the same server use the same id counter and appear in this
 * database's snapshots, but are irrelevant here. The other database is a copy, so even its tables
 * have the same numbers.
 */
class OtherDatabaseTest {
  private static final RelayConfig QUICK =
      RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();

  private final PostgresqlDatabase ours;
  private final PostgresqlDatabase other;
  private final TestLanes lanes;

  OtherDatabaseTest() {
    EmbeddedPostgres postgres = TestServer.newest().postgres();
    String name = postgres.freshDatabase();
    new Migrations(Tables.DEFAULT).migrate(postgres.dataSource(name));
    Jdbc.execute(
        postgres.dataSource("postgres"), "CREATE DATABASE %1$s_copy TEMPLATE %1$s".formatted(name));
    this.ours = new PostgresqlDatabase(postgres.jdbcUrl(name), Tables.DEFAULT);
    this.other = new PostgresqlDatabase(postgres.jdbcUrl(name + "_copy"), Tables.DEFAULT);
    this.lanes = new TestLanes(ours);
  }

  @AfterEach
  void discard() {
    ours.discard();
    other.discard();
  }

  /** A transaction that has written a message and stays open until it is closed. */
  private static Connection open(PostgresqlDatabase database, Message message) throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    database.store().append(connection, List.of(message), List.of(""), false);
    return connection;
  }

  @Test
  void a_transaction_open_in_another_database_delays_nothing_here() throws SQLException {
    TestLane shop = lanes.take("shop");
    try (Connection there = open(other, message("there"))) {
      lanes.commit("1");
      assertThat(shop.drain()).containsExactly("1");
      lanes.commit("2");
      assertThat(shop.drain()).containsExactly("2");
      there.commit();
    }
    lanes.commit("3");
    assertThat(shop.drain()).containsExactly("3");
  }

  @Test
  void messages_of_transactions_around_it_are_neither_skipped_nor_doubled() throws SQLException {
    TestLane shop = lanes.take("shop");
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      try (Connection before = open(ours, message("before " + i));
          Connection there = open(other, message("there " + i));
          Connection after = open(ours, message("after " + i))) {
        seen.addAll(shop.drain());
        List<Connection> ending = new ArrayList<>(List.of(before, there, after));
        Collections.shuffle(ending, new Random(i));
        for (Connection connection : ending) {
          connection.commit();
          seen.addAll(shop.drain(TestLane.atMost(1)));
        }
      }
    }
    assertThat(seen).hasSize(20).doesNotHaveDuplicates().noneMatch(c -> c.startsWith("there"));
  }

  @Test
  void a_relay_delivers_in_order_beside_what_is_open_there() throws SQLException {
    FakeConnector connector = FakeConnector.acking();
    try (Connection before = open(other, message("before"));
        Relay relay =
            Relay.on(ours.store(), "tests", "test")
                .config(QUICK)
                .destination(Destination.named("shop", connector).allTypes().build())
                .build()
                .start();
        Connection late = open(ours, keyed("late", "late"));
        Connection meanwhile = open(other, message("meanwhile"))) {
      lanes.add(keyed("k", "1"));
      lanes.add(keyed("k", "2"));
      await().untilAsserted(() -> assertThat(contents(connector)).containsExactly("1", "2"));
      late.commit();
      await()
          .untilAsserted(() -> assertThat(contents(connector)).containsExactly("1", "2", "late"));
      before.commit();
      meanwhile.commit();
      lanes.add(keyed("k", "3"));
      await().untilAsserted(() -> assertThat(contents(connector)).contains("3"));
      assertThat(contents(connector)).containsExactly("1", "2", "late", "3");
    }
  }

  private static List<String> contents(FakeConnector connector) {
    return connector.received().stream().map(TestMessages::content).toList();
  }

  @Test
  void what_commits_there_is_no_news_here() throws SQLException {
    TestLane shop = lanes.take("shop");
    PostgresqlStore store = lanes.store();
    try (Connection there = open(other, message("there"))) {
      lanes.commit("1");
      shop.drain();
      Head seen = shop.state().head();
      assertThat(store.head().newsSince(seen)).isFalse();
      there.commit();
      assertThat(store.head().newsSince(seen)).isFalse();
    }
  }

  @Test
  void what_has_been_open_there_since_before_the_messages_does_not_keep_them_from_retention()
      throws SQLException {
    try (Connection there = open(other, message("there"))) {
      OldMessages.add(ours, 10);
      PurgeReport report = lanes.store().purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
      assertThat(report.emptied()).anyMatch(leaf -> leaf.startsWith("posthorn_log"));
      assertThat(report.waiting()).noneMatch(line -> line.startsWith("posthorn_log"));
      assertThat(ours.logged()).isEmpty();
      there.rollback();
    }
  }

  @Test
  void a_transaction_that_uses_the_leaf_of_a_copy_is_not_named_here() throws SQLException {
    OldMessages.add(ours, 10);
    try (Connection there = open(other, message("there"));
        Statement lock = there.createStatement()) {
      lock.execute("LOCK TABLE posthorn_log IN ACCESS SHARE MODE");
      assertThat(lanes.store().retentionStatus(RetentionTimes.DEFAULT).leaves())
          .isNotEmpty()
          .allSatisfy(leaf -> assertThat(leaf.waitsFor()).isEmpty());
      there.rollback();
    }
  }

  @Test
  void the_doctor_finds_no_open_transaction() throws SQLException {
    try (Connection there = open(other, message("there"))) {
      assertThat(openTransactions(other)).isEqualTo(Severity.WARNING);
      assertThat(openTransactions(ours)).isEqualTo(Severity.OK);
      there.rollback();
    }
  }

  private static Severity openTransactions(PostgresqlDatabase database) {
    Database asked = new Database(database.dataSource(), TableNames.DEFAULT);
    return new Examiner(asked, Clock.systemUTC(), Duration.ZERO)
        .examine(Examination.DEFAULT).stream()
            .filter(x -> x.code().equals(DoctorCheck.OPEN_TRANSACTION.name()))
            .map(Diagnosis::severity)
            .findFirst()
            .orElseThrow();
  }
}

package io.posthorn.postgresql.inbox;

import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What receiving does not touch: settings, other days, tables of others. */
class InboxOnPostgresqlTest {
  private static final Consumer STOCK = new Consumer("stock", false);
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "a test");

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = (PostgresqlStore) database.store();

  @BeforeEach
  void registerConsumer() {
    store.register(
        "tests", List.of(new ServedDestination("stock", Set.of(), Start.NOW, Direction.IN)));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Connection begin() throws SQLException {
    Connection tx = database.dataSource().getConnection();
    tx.setAutoCommit(false);
    return tx;
  }

  private static Received received(Message message) {
    return new Received("shop", message);
  }

  private static List<String> texts(Connection tx, String sql) throws SQLException {
    List<String> all = new ArrayList<>();
    try (Statement statement = tx.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        all.add(row.getString(1));
      }
    }
    return all;
  }

  @Test
  void the_settings_of_the_handlers_transaction_stay_as_they_are() throws SQLException {
    String settings =
        "SELECT name || '=' || setting FROM pg_settings WHERE name NOT LIKE 'plpgsql.%' ORDER BY 1";
    try (Connection tx = begin()) {
      List<String> before = texts(tx, settings);
      store.receive(tx, STOCK, List.of(received(message("1"))));
      store.store(tx, STOCK, List.of(received(message("2"))));
      assertThat(texts(tx, settings)).isEqualTo(before);
      tx.rollback();
    }
  }

  @Test
  void receiving_locks_the_leaves_of_its_messages_and_no_others() throws SQLException {
    List<Received> batch = List.of(received(message("1")), received(message("2")));
    try (Connection tx = begin()) {
      store.receive(tx, STOCK, batch);
      store.receive(tx, STOCK, batch);
      store.handle(tx, STOCK, batch);
      assertThat(
              texts(
                  tx,
                  """
                  SELECT DISTINCT c.relname
                    FROM pg_locks l
                    JOIN pg_class c ON c.oid = l.relation
                   WHERE l.pid = pg_backend_pid()
                     AND c.relname ~ 'posthorn_receipt_[0-9u][^_]*$'
                  """))
          .hasSize(2)
          .contains("posthorn_receipt_undated");
      tx.rollback();
    }
  }

  @Test
  void a_leaf_in_use_is_not_waited_for_and_its_user_is_named() throws SQLException {
    long monthAgo = System.currentTimeMillis() - Duration.ofDays(29).toMillis();
    UUID id = new UUID((monthAgo << 16) | 0x7000, Long.MIN_VALUE);
    try (Connection tx = begin()) {
      store.receive(tx, STOCK, List.of(received(Message.of("T").id(id).build())));
      tx.commit();
    }
    database.pass(Duration.ofDays(5));
    try (Connection dump = begin()) {
      texts(dump, "SELECT count(*) FROM posthorn_receipt");
      PurgeReport report = store.purge(Duration.ofDays(7));
      assertThat(report.emptied()).isEmpty();
      assertThat(report.waiting())
          .anyMatch(line -> line.contains("receipt") && line.contains("open transaction"));
      dump.rollback();
    }
    assertThat(store.purge(Duration.ofDays(7)).emptied()).hasSize(1);
  }

  /** Otherwise a crash right after the acknowledgement would lose the effect and its receipt. */
  @Test
  void what_was_received_is_on_disk_when_it_is_committed_whatever_the_roles_setting()
      throws SQLException {
    List<Consumer> consumers =
        List.of(STOCK, new Consumer("stock", false, true, AfterDead.CONTINUE, false));
    for (Consumer consumer : consumers) {
      assertDurable("on", "off", tx -> store.receive(tx, consumer, one()));
      assertDurable("on", "off", tx -> store.handle(tx, consumer, one()));
      assertDurable("on", "off", tx -> store.store(tx, consumer, one()));
      assertDurable("on", "off", tx -> store.bury(tx, consumer, one().get(0), REASON));
      assertDurable(
          "on", "off", tx -> store.park(tx, consumer, one().get(0), REASON, Duration.ZERO, 1));
    }
    assertDurable("on", "off", tx -> Inbox.on(store).once(tx, "checkout", "order-77"));
    assertDurable("on", "local", tx -> store.receive(tx, STOCK, one()));
    assertDurable("remote_apply", "remote_apply", tx -> store.receive(tx, STOCK, one()));
    assertDurable("remote_write", "remote_write", tx -> store.receive(tx, STOCK, one()));
  }

  private static List<Received> one() {
    return List.of(received(message("1")));
  }

  private interface Receiving {
    void in(Connection tx);
  }

  /** The setting changes for this transaction only, not for others of the connection. */
  private void assertDurable(String expected, String set, Receiving receiving) throws SQLException {
    try (Connection tx = begin();
        Statement statement = tx.createStatement()) {
      statement.execute("SET synchronous_commit = " + set);
      tx.commit();
      receiving.in(tx);
      assertThat(texts(tx, "SHOW synchronous_commit")).containsExactly(expected);
      tx.rollback();
      assertThat(texts(tx, "SHOW synchronous_commit")).containsExactly(set);
      statement.execute("RESET synchronous_commit");
      tx.commit();
    }
  }

  /** Both wait for the receipt, so the second has read it before the first one wrote. */
  @Test
  void two_relays_that_handle_a_corrected_message_at_once_make_no_letter_of_it() throws Exception {
    Received sent = received(message("1"));
    Received corrected = received(sent.message().withPayload("corrected".getBytes(UTF_8)));
    try (Connection tx = begin()) {
      store.store(tx, STOCK, List.of(sent));
      tx.commit();
    }
    CompletableFuture<List<InboxVerdict>> one;
    CompletableFuture<List<InboxVerdict>> other;
    try (Connection tx = begin()) {
      texts(tx, "SELECT id::text FROM posthorn_receipt FOR NO KEY UPDATE");
      one = CompletableFuture.supplyAsync(() -> handled(corrected));
      other = CompletableFuture.supplyAsync(() -> handled(corrected));
      await().atMost(Duration.ofSeconds(1)).until(() -> database.waitingForLocks() >= 2);
      tx.rollback();
    }
    assertThat(List.of(one.get(10, SECONDS), other.get(10, SECONDS)))
        .containsExactlyInAnyOrder(List.of(InboxVerdict.NEW), List.of(InboxVerdict.DUPLICATE));
    assertThat(database.dead(STOCK.name())).isEmpty();
  }

  private List<InboxVerdict> handled(Received message) {
    try (Connection tx = begin()) {
      List<InboxVerdict> verdicts = store.handle(tx, STOCK, List.of(message));
      tx.commit();
      return verdicts;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The grants printed for a receiving application are sufficient and minimal. */
class ReceiverGrantsTest {
  private static final Consumer STOCK = new Consumer("stock", true, false, AfterDead.HOLD, true);
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "a test");

  private final PostgresqlDatabase database =
      TestServer.newest().database(new Tables("receiving", "po_"));
  private final String receiver = "receiver_" + database.name();
  private final String relay = "relay_" + database.name();
  private final String operator = "operator_" + database.name();

  @BeforeEach
  void grant() {
    Grants grants = new Grants(database.tables());
    role(receiver, grants.receiver(receiver));
    role(relay, grants.relay(relay));
    role(operator, grants.operator(operator));
    as(relay)
        .register(
            "tests",
            List.of(new ServedDestination(STOCK.name(), Set.of(), Start.NOW, Direction.IN)));
  }

  private void role(String name, String grants) {
    database.execute("DROP ROLE IF EXISTS " + name);
    database.execute("CREATE ROLE " + name + " LOGIN");
    database.execute(grants);
  }

  @AfterEach
  void close() {
    for (String role : List.of(receiver, relay, operator)) {
      database.execute("DROP OWNED BY " + role);
      database.execute("DROP ROLE " + role);
    }
    database.close();
  }

  private PostgresqlStore as(String role) {
    return PostgresqlStore.on(database.as(role), database.tables());
  }

  private static Received keyedMessage(String content, long sequence) {
    return new Received("shop", keyed("a", content).withSequence(sequence));
  }

  @Test
  void a_receiver_can_do_all_that_receiving_takes() throws SQLException {
    PostgresqlStore store = as(receiver);
    Received one = keyedMessage("1", 5);
    try (Connection tx = database.as(receiver).getConnection()) {
      tx.setAutoCommit(false);
      assertThat(store.receive(tx, STOCK, List.of(one)).verdicts())
          .containsExactly(InboxVerdict.NEW);
      assertThat(store.receive(tx, STOCK, List.of(one, keyedMessage("0", 4))).verdicts())
          .containsExactly(InboxVerdict.DUPLICATE, InboxVerdict.SKIPPED_STALE);
      Received reused = new Received("shop", one.message().withPayload(new byte[] {1}));
      assertThat(store.receive(tx, STOCK, List.of(reused)).verdicts())
          .containsExactly(InboxVerdict.DEAD);
      store.store(tx, STOCK, List.of(keyedMessage("2", 6)));
      store.park(tx, STOCK, keyedMessage("3", 7), REASON, Duration.ZERO, 1);
      store.parkUnserved(tx, STOCK, keyedMessage("4", 8), Reason.of(Reason.UNSERVED, "no handler"));
      store.bury(tx, STOCK, keyedMessage("5", 9), REASON);
      assertThat(store.receive(tx, STOCK, List.of(keyedMessage("6", 10))).verdicts())
          .containsExactly(InboxVerdict.PARKED);
      assertThat(store.handle(tx, STOCK, List.of(keyedMessage("7", 11))))
          .containsExactly(InboxVerdict.NEW);
      assertThat(Inbox.on(store).once(tx, "checkout", "1")).isTrue();
      store.append(tx, List.of(message("8")), List.of(""), false);
      store.seal(tx);
      tx.commit();
    }
    assertThat(database.parked("stock")).hasSize(4);
    assertThat(database.dead("stock")).hasSize(2);
  }

  @Test
  void a_receiver_can_neither_read_what_is_parked_nor_forget_receipts() {
    DataSource its = database.as(receiver);
    for (String forbidden :
        List.of(
            "SELECT payload FROM posthorn_parked",
            "SELECT headers FROM posthorn_dead",
            "UPDATE posthorn_parked SET attempts = 0",
            "DELETE FROM posthorn_parked",
            "DELETE FROM posthorn_receipt",
            "DELETE FROM posthorn_held",
            "SELECT payload FROM posthorn_log",
            "TRUNCATE posthorn_receipt_00",
            "SELECT 1 FROM posthorn_lane",
            "DELETE FROM posthorn_pause")) {
      assertThatThrownBy(() -> Jdbc.execute(its, database.names().in(forbidden)))
          .as(forbidden)
          .hasStackTraceContaining("permission denied");
    }
  }

  @Test
  void a_relay_can_forget_receipts_and_an_operator_can_mark_them() throws SQLException {
    long monthAgo = System.currentTimeMillis() - Duration.ofDays(29).toMillis();
    Received old =
        new Received(
            "shop",
            io.posthorn.core.message.Message.of("T")
                .id(new java.util.UUID((monthAgo << 16) | 0x7000, Long.MIN_VALUE))
                .build());
    try (Connection tx = database.as(receiver).getConnection()) {
      tx.setAutoCommit(false);
      as(receiver).receive(tx, STOCK, List.of(old, keyedMessage("1", 1)));
      as(receiver).seal(tx);
      tx.commit();
    }
    assertThat(Inbox.on(as(operator)).list(ReceiptQuery.of("stock"), 10)).hasSize(2);
    assertThat(Inbox.on(as(operator)).replay(ReceiptQuery.of("stock"), new Actor("me", "a test")))
        .isEqualTo(2);
    database.pass(Duration.ofDays(5));
    assertThat(as(relay).purge(Duration.ofDays(7)).emptied()).hasSize(1);
    database.pass(Duration.ofDays(30));
    as(relay).purge(Duration.ofDays(7));
    assertThat(database.query("SELECT 1 FROM posthorn_handled", row -> 1)).isEmpty();
  }
}

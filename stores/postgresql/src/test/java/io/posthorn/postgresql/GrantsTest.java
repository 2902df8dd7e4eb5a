package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Waiting;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The printed grants are sufficient and minimal for each role. */
class GrantsTest {
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "a test");

  private final PostgresqlDatabase database =
      TestServer.newest().database(new Tables("granted", "po_"));
  private DataSource writer;
  private DataSource relay;

  @BeforeEach
  void grant() {
    Grants grants = new Grants(database.tables());
    writer = role("writer", grants.writer("writer_" + database.name()));
    relay = role("relay", grants.relay("relay_" + database.name()));
  }

  private DataSource role(String role, String grants) {
    String name = role + "_" + database.name();
    database.execute("DROP ROLE IF EXISTS " + name);
    database.execute("CREATE ROLE " + name + " LOGIN");
    database.execute(grants);
    return database.as(name);
  }

  @AfterEach
  void close() {
    for (String role : List.of("writer_", "relay_")) {
      database.execute("DROP OWNED BY " + role + database.name());
      database.execute("DROP ROLE " + role + database.name());
    }
    database.close();
  }

  private void add(Message... messages) throws SQLException {
    try (Connection connection = writer.getConnection()) {
      connection.setAutoCommit(false);
      PostgresqlStore store = PostgresqlStore.on(writer, database.tables());
      store.note(connection, UUID.randomUUID());
      for (Message message : messages) {
        store.append(connection, List.of(message), List.of(""), true);
      }
      connection.commit();
    }
  }

  private void execute(DataSource role, String sql) throws SQLException {
    try (Connection connection = role.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(database.names().in(sql));
    }
  }

  @Test
  void writer_and_relay_can_do_all_their_work() throws Exception {
    PostgresqlStore store = PostgresqlStore.on(relay, database.tables());
    store.verify("grants");
    store.register("grants", List.of(new ServedDestination("shop", Set.of("Tested"))));
    RelayIdentity me = new RelayIdentity(UUID.randomUUID(), "me", "grants");
    store.join(me, List.of(new ServedDestination("shop", Set.of("Tested"))), Duration.ofMinutes(1));
    TestLane shop = new TestLane(store, store.take(me, "shop", 0).orElseThrow());
    TestLane unrouted = new TestLane(store, store.take(me, RelayStore.UNROUTED, 0).orElseThrow());
    add(
        keyed("k", "1"),
        keyed("k", "2"),
        keyed("l", "3"),
        Message.of("Tested").id(UUID.randomUUID()).build());
    add(Message.of("Other").build());
    execute(
        writer, "SELECT posthorn_add('Tested', '\\x41', id => gen_random_uuid(), ordered => true)");

    assertThat(store.beat(me, Duration.ofMinutes(1))).isPresent();
    store.look(List.of("shop"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    assertThat(all).hasSize(5);
    shop.settle(
        batch,
        new Move.Park(all.get(0), Waiting.RETRY, 1, Duration.ZERO, REASON),
        new Move.Park(all.get(1), Waiting.TURN, 0, Duration.ZERO, null),
        new Move.Die(all.get(2), 1, "CODE", REASON, AfterDead.HOLD));
    List<Delivery> parked = shop.parked();
    shop.settle(
        new Move.Sent(parked.get(0)),
        new Move.Die(parked.get(1), 1, "CODE", REASON, AfterDead.CONTINUE));
    store.breaker(shop.lane(), Optional.of(REASON));
    store.breaker(shop.lane(), Optional.empty());
    store.checked(shop.lane(), List.of(Finding.problem(REASON)));
    store.checked(shop.lane(), List.of());
    store.pause(shop.lane(), REASON);
    store.tendUnrouted(unrouted.lane(), Duration.ZERO);
    store.register("grants", List.of(new ServedDestination("other", Set.of("Other"))));
    store.tendUnrouted(unrouted.lane(), Duration.ZERO);
    database.pass(Duration.ofDays(9));
    assertThat(store.figures(RetentionTimes.DEFAULT).retention().lag()).isPositive();
    assertThat(
            store
                .purge(
                    new RetentionTimes(Duration.ofDays(7), Duration.ofDays(8)),
                    store.archiveTable(),
                    step -> true)
                .emptied())
        .isNotEmpty();
    store.spill("shop", new Actor("me", "a test"));
    store.release(shop.lane());
    store.leave(me);
  }

  @Test
  void a_running_relay_carries_out_whatever_an_operator_asks_for() throws Exception {
    PostgresqlStore operator = PostgresqlStore.on(database.dataSource(), database.tables());
    Actor by = new Actor("anna", "a test");
    FakeConnector shop = FakeConnector.acking().outcome(m -> Outcome.rejected(REASON));
    try (Relay running =
        Relay.on(PostgresqlStore.on(relay, database.tables()), "grants", "grants")
            .destination(Destination.named("shop", shop).allTypes().build())
            .build()
            .start()) {
      add(keyed("k", "1"), keyed("l", "2"), keyed("m", "3"));
      await().until(() -> operator.countLetters(DeadLetterQuery.waiting()) == 3);
      shop.outcome(m -> Outcome.SENT);
      for (Plan plan :
          List.of(
              Plan.requeue(DeadLetterQuery.waiting()),
              Plan.resend(SentQuery.to("shop")),
              Plan.rewind("shop", Instant.EPOCH))) {
        Operation operation = Operations.on(operator).start(plan, by);
        await()
            .until(
                () ->
                    Operations.on(operator).find(operation.id()).orElseThrow().state()
                        == Operation.State.DONE);
        // An operation is done when all its messages are parked; the next one skips those that
        // still are.
        await().until(() -> operator.parked("shop", null, 1).isEmpty());
      }
      await().until(() -> shop.acknowledged().size() >= 9);
      operator.limit("shop", 1_000.0, by);
      operator.pause(Scope.destination("shop"), by);
      operator.resume(Scope.destination("shop"), by);
      add(keyed("k", "4"));
      await().until(() -> shop.acknowledged().size() >= 10);
    }
  }

  @Test
  void a_writer_cannot_plant_a_foreign_transaction_or_number() {
    for (String column : List.of("tx", "seq", "slot", "recorded_at")) {
      assertThatThrownBy(
              () ->
                  execute(
                      writer,
                      "INSERT INTO posthorn_log (id, type, payload, %s) VALUES (gen_random_uuid(), 'T', '', DEFAULT)"
                          .formatted(column)))
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void a_writer_can_neither_read_nor_change_nor_remove_messages() {
    for (String sql :
        List.of(
            "SELECT 1 FROM posthorn_log",
            "UPDATE posthorn_log SET type = 'x'",
            "DELETE FROM posthorn_log",
            "SELECT 1 FROM posthorn_parked",
            "DELETE FROM posthorn_given_id")) {
      assertThatThrownBy(() -> execute(writer, sql)).hasMessageContaining("permission denied");
    }
  }

  @Test
  void a_relay_can_neither_add_nor_change_messages() {
    for (String sql :
        List.of(
            "INSERT INTO posthorn_log (id, type, payload) VALUES (gen_random_uuid(), 'T', '')",
            "UPDATE posthorn_log SET type = 'x'",
            "DELETE FROM posthorn_log",
            "UPDATE posthorn_progress SET last_seq = 0",
            "UPDATE posthorn_audit SET why = 'x'",
            "DELETE FROM posthorn_archive")) {
      assertThatThrownBy(() -> execute(relay, sql)).hasMessageContaining("permission denied");
    }
  }

  @Test
  void the_error_for_a_role_without_rights_names_the_command_that_prints_them()
      throws SQLException {
    try (Connection connection = relay.getConnection()) {
      connection.setAutoCommit(false);
      Refused.with(
              ErrorCode.MISSING_RIGHTS,
              () ->
                  PostgresqlStore.on(relay, database.tables())
                      .append(connection, List.of(keyed("k", "1")), List.of(""), false))
          .hasMessageContaining("posthorn schema grants");
    }
  }
}

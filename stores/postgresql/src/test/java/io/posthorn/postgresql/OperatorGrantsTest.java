package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Waiting;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An operator can do everything with the printed grants, but cannot change the audit. */
class OperatorGrantsTest {
  private static final Actor ANNA = new Actor("anna", "a test");
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "a test");

  private final PostgresqlDatabase database =
      TestServer.newest().database(new Tables("granted", "po_"));
  private final String role = "operator_" + database.name();
  private DataSource operator;

  @BeforeEach
  void grant() {
    database.execute("DROP ROLE IF EXISTS " + role);
    database.execute("CREATE ROLE " + role + " LOGIN");
    database.execute(new Grants(database.tables()).operator(role));
    operator = database.as(role);
  }

  @AfterEach
  void close() {
    database.execute("DROP OWNED BY " + role);
    database.execute("DROP ROLE " + role);
    database.close();
  }

  @Test
  void an_operator_can_carry_out_operations() throws SQLException {
    twoDieAndTwoAreParked();
    Operations operations = Operations.on(PostgresqlStore.on(operator, database.tables()));
    for (Plan plan :
        List.of(
            Plan.requeue(DeadLetterQuery.waiting()),
            Plan.resend(SentQuery.to("shop")),
            Plan.rewind("shop", Instant.EPOCH))) {
      Operation started = operations.start(plan, ANNA);
      assertThat(operations.run(started.id(), now -> {}).state()).isEqualTo(Operation.State.DONE);
    }
  }

  @Test
  void an_operator_can_see_steer_and_rescue() throws SQLException {
    List<Delivery> all = twoDieAndTwoAreParked();
    PostgresqlStore store = PostgresqlStore.on(operator, database.tables());
    Steering steering = Steering.on(store);
    for (Scope scope :
        List.of(Scope.EVERYTHING, Scope.type("Tested", "shop"), Scope.key(key("k"), "shop"))) {
      steering.pause(scope, ANNA);
    }
    assertThat(steering.pauses(10)).hasSize(3);
    steering.pauses(10).forEach(pause -> steering.resume(pause.scope(), ANNA));
    steering.limit("shop", 5.0, ANNA);
    steering.retryNow("shop", null, ANNA);
    steering.release("shop", key("k"), ANNA);
    steering.reschedule("shop", all.get(3).message().id(), Instant.now(), ANNA);
    steering.skip("shop", all.get(2).message().id(), ANNA);
    assertThat(steering.destinations()).isNotEmpty();
    steering.lookAgain(null);
    assertThat(steering.checks()).isEmpty();
    assertThat(steering.parked("shop", null, 10)).hasSize(1);
    assertThat(store.whereabouts("shop", all.get(0).message().id()))
        .get()
        .asString()
        .contains("DEAD");

    DeadLetters letters = DeadLetters.on(store);
    List<UUID> ids =
        letters.list(DeadLetterQuery.waiting(), null, 10).stream().map(l -> l.id()).toList();
    letters.note(letters.causes(DeadLetterQuery.waiting(), 1).get(0).fingerprint(), "n", "o", ANNA);
    assertThat(letters.requeue(ids.subList(0, 1), Requeue.SAME, ANNA).done()).isEqualTo(1);
    assertThat(letters.discard(ids.subList(1, 2), ANNA).done()).isEqualTo(1);
    assertThat(letters.figures(7).waiting()).isZero();
    assertThat(Audit.on(store).verify().broken()).isEmpty();
  }

  @Test
  void an_operator_can_take_routes_and_destinations_away() throws SQLException {
    twoDieAndTwoAreParked();
    database.execute("UPDATE posthorn_relay SET expires_at = clock_timestamp()");
    Steering steering = Steering.on(PostgresqlStore.on(operator, database.tables()));
    assertThat(steering.routes("shop")).hasSize(1);
    assertThat(steering.narrow("shop", Set.of("Tested"), null, ANNA)).isEqualTo(1);
    assertThat(steering.remove("shop", ANNA)).isEqualTo(2);
  }

  private List<Delivery> twoDieAndTwoAreParked() throws SQLException {
    PostgresqlStore store = PostgresqlStore.on(database.dataSource(), database.tables());
    List<ServedDestination> serves = List.of(new ServedDestination("shop", Set.of("Tested")));
    store.register("grants", serves);
    RelayIdentity me = new RelayIdentity(UUID.randomUUID(), "me", "grants");
    store.join(me, serves, Duration.ofMinutes(1));
    TestLane shop = new TestLane(store, store.take(me, "shop", 0).orElseThrow());
    add(
        store,
        keyed("k", "1"),
        keyed("l", "2"),
        keyed("m", "3"),
        Message.of("Tested").notBefore(Instant.now().plusSeconds(3_600)).build());
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        new Move.Die(all.get(0), 1, "CODE", REASON, AfterDead.HOLD),
        new Move.Die(all.get(1), 1, "CODE", REASON, AfterDead.CONTINUE),
        new Move.Park(all.get(2), Waiting.RETRY, 1, Duration.ofHours(1), REASON),
        new Move.Park(all.get(3), Waiting.TIME, 0, Duration.ZERO, null));
    return all;
  }

  private void add(PostgresqlStore store, Message... messages) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (Message message : messages) {
        store.append(connection, List.of(message), List.of(""), false);
      }
      connection.commit();
    }
  }

  @Test
  void adopting_and_fencing_are_the_owners_and_no_grants_are_suggested() {
    PostgresqlStore store = PostgresqlStore.on(operator, database.tables());
    for (Adopt how : Adopt.values()) {
      Refused.with(ErrorCode.MISSING_RIGHTS, () -> store.adopt("staging", how, ANNA))
          .hasMessageContaining("not the owner of Posthorn's tables")
          .hasMessageNotContaining("schema grants");
    }
    Refused.with(ErrorCode.MISSING_RIGHTS, () -> store.fence(ANNA))
        .hasMessageContaining("not the owner of Posthorn's tables");
  }

  @Test
  void the_record_can_be_added_to_and_nothing_else() {
    for (String sql :
        List.of(
            "UPDATE posthorn_audit SET who = 'x'",
            "DELETE FROM posthorn_audit",
            "TRUNCATE posthorn_audit")) {
      assertThatThrownBy(() -> execute(operator, sql)).hasMessageContaining("permission denied");
      assertThatThrownBy(() -> execute(database.dataSource(), sql))
          .as("its owner, by mistake")
          .hasMessageContaining("append-only");
    }
  }

  private void execute(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(database.names().in(sql));
    }
  }
}

package io.posthorn.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.Posthorn;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.relay.Destination;
import io.posthorn.testkit.FakeConnector;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The one entry for plain Java. */
class PosthornTest {
  record Registered(@MessageKey("user") String user) {}

  record Welcomed(@MessageKey("user") String user) {}

  record Plain(String user) {}

  record TwoKeys(@MessageKey("user") String user, @MessageKey("shop") String shop) {}

  private final FakeConnector acking = FakeConnector.acking();
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  @AfterEach
  void discard() {
    database.discard();
  }

  private Posthorn.Builder posthorn() {
    return Posthorn.on(database.dataSource())
        .environment("test")
        .payloads(PosthornTest::write, PosthornTest::read);
  }

  private static byte[] write(Object event) {
    return (event instanceof Registered registered ? registered.user() : "x").getBytes(UTF_8);
  }

  private static Object read(byte[] payload, Class<?> event) {
    String user = new String(payload, UTF_8);
    return event == Registered.class ? new Registered(user) : new Welcomed(user);
  }

  @Test
  void an_event_that_is_committed_is_handled_and_one_that_is_rolled_back_never_was()
      throws Exception {
    try (Posthorn posthorn =
        posthorn()
            .handle("mail", Registered.class, (user, handling) -> seen.add(user.user()))
            .start()) {
      assertThatThrownBy(
              () ->
                  posthorn.inTransaction(
                      tx -> {
                        posthorn.add(tx, new Registered("ghost"));
                        throw new IllegalStateException("the business changed its mind");
                      }))
          .hasMessage("the business changed its mind");
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      await().untilAsserted(() -> assertThat(seen).containsExactly("ada"));
    }
    assertThat(seen).containsExactly("ada");
  }

  @OutboxMessage(schemaVersion = 2)
  record Moved(@MessageKey("user") String user) {}

  @Test
  void a_message_of_an_earlier_version_is_converted_by_the_mapper_of_the_entry() throws Exception {
    try (Posthorn posthorn =
        posthorn()
            .upcast("Moved", 1, 2, Registered.class, old -> new Moved("mx " + old.user()))
            .payloads(
                event -> event.toString().getBytes(UTF_8),
                (payload, event) ->
                    event == Moved.class
                        ? new Moved(new String(payload, UTF_8))
                        : new Registered(new String(payload, UTF_8)))
            .handle(
                "mail",
                Moved.class,
                (moved, handling) -> seen.add(handling.schemaVersion() + " " + moved.user()))
            .start()) {
      posthorn.inTransaction(
          tx -> posthorn.add(tx, Message.of("Moved").json("ada".getBytes(UTF_8)).build()));
      await().untilAsserted(() -> assertThat(seen).containsExactly("1 Moved[user=mx ada]"));
    }
  }

  @Test
  void an_event_whose_payload_its_schema_refuses_is_not_added() {
    try (Posthorn posthorn = posthorn().schemas(noX()).start()) {
      assertThatThrownBy(() -> posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("x"))))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("message 'Registered'")
          .hasMessageContaining("the name is x");
    }
  }

  private static PayloadSchemas noX() {
    return new PayloadSchemas() {
      @Override
      public boolean has(String type, int schemaVersion) {
        return true;
      }

      @Override
      public Optional<String> problemWith(Message message) {
        return new String(message.payload(), UTF_8).equals("x")
            ? Optional.of("the name is x")
            : Optional.empty();
      }
    };
  }

  @Test
  void what_a_handler_adds_follows_from_what_it_handles() throws Exception {
    Queue<Message> follow = new ConcurrentLinkedQueue<>();
    UUID id = UUID.randomUUID();
    try (Posthorn posthorn =
        posthorn()
            .handle(
                "mail",
                Registered.class,
                (user, handling) ->
                    handling.message(new Welcomed(user.user())).header("tenant", "north").add())
            .consumer(
                "audit",
                audit ->
                    audit.on(Welcomed.class, (user, handling) -> follow.add(handling.message())))
            .start()) {
      posthorn.inTransaction(
          tx -> posthorn.message(tx, new Registered("ada")).id(id).correlationId("c-1").add());
      await().untilAsserted(() -> assertThat(follow).hasSize(1));
    }
    assertThat(follow.element().headers())
        .containsEntry("tenant", "north")
        .containsEntry("correlation-id", "c-1")
        .containsEntry("causation-id", id.toString());
  }

  @Test
  void what_is_added_in_order_locks_its_key_until_the_transaction_ends() throws Exception {
    Queue<Integer> locks = new ConcurrentLinkedQueue<>();
    try (Posthorn posthorn =
        posthorn()
            .handle(
                "mail",
                Registered.class,
                (user, handling) -> {
                  handling.message(new Welcomed(user.user())).key("user", "ada").addOrdered();
                  locks.add(locksOf(handling.connection()));
                })
            .start()) {
      posthorn.inTransaction(
          tx -> {
            posthorn.message(tx, new Registered("ada")).key("user", "ada").add();
            assertThat(locksOf(tx)).isZero();
          });
      await().untilAsserted(() -> assertThat(locks).containsExactly(1));
      posthorn.inTransaction(
          tx -> {
            posthorn.message(tx, new Welcomed("ada")).key("user", "ada").addOrdered();
            assertThat(locksOf(tx)).isEqualTo(1);
          });
    }
  }

  private static int locksOf(Connection tx) throws SQLException {
    try (Statement statement = tx.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void events_go_to_destinations_without_any_handler() throws Exception {
    FakeConnector shop = FakeConnector.acking();
    try (Posthorn posthorn =
        posthorn().destination(Destination.named("shop", shop).allTypes().build()).start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      await().untilAsserted(() -> assertThat(shop.acknowledged()).hasSize(1));
      assertThat(posthorn.status().relays()).hasSize(1);
    }
  }

  @Test
  void events_are_routed_by_their_classes_and_the_connector_is_closed_with_posthorn()
      throws Exception {
    try (Posthorn posthorn = posthorn().destination("shop", acking, Registered.class).start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      await().untilAsserted(() -> assertThat(acking.acknowledged()).hasSize(1));
    }
    assertThat(acking.isClosed()).isTrue();
    Posthorn.Builder wrong = posthorn().destination("shop", acking, String.class);
    assertThatThrownBy(wrong::start)
        .hasMessageContaining("POSTHORN-001")
        .hasMessageContaining("java.lang.String is no event");
  }

  @Test
  void a_program_that_only_writes_needs_no_environment() throws Exception {
    try (Posthorn posthorn =
        Posthorn.on(database.dataSource())
            .payloads(PosthornTest::write, PosthornTest::read)
            .start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      assertThat(posthorn.status().relays()).isEmpty();
    }
    assertThat(database.logged()).hasSize(1);
  }

  @Test
  void a_program_that_delivers_without_an_environment_does_not_start() {
    Posthorn.Builder posthorn =
        Posthorn.on(database.dataSource())
            .environment("")
            .handle("mail", Registered.class, (user, handling) -> {});
    assertThatThrownBy(posthorn::start)
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("environment(\"production\")")
        .hasMessageContaining("POSTHORN_ENVIRONMENT");
  }

  @Test
  void without_a_mapper_on_the_class_path_the_error_says_what_to_add() {
    try (Posthorn posthorn = Posthorn.on(database.dataSource()).start()) {
      assertThatThrownBy(
              () -> posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada"))))
          .hasStackTraceContaining("posthorn-json");
    }
  }

  @Test
  void handlers_of_events_without_a_mapper_do_not_start_rather_than_kill_every_message() {
    Posthorn.Builder posthorn =
        Posthorn.on(database.dataSource())
            .environment("test")
            .migrate()
            .handle("mail", Registered.class, (user, handling) -> {});
    assertThatThrownBy(posthorn::start)
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("posthorn-json");
  }

  @Test
  void the_first_connection_is_made_by_the_start() {
    Posthorn.Builder posthorn = Posthorn.on(database.as("nobody_of_this_name")).environment("test");
    assertThatThrownBy(posthorn::start)
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-017")
        .hasMessageContaining("the DataSource gave no connection");
  }

  @Test
  void a_start_that_fails_closes_the_connectors() {
    posthorn().destination(Destination.named("shop", acking).allTypes().build()).start().close();
    Posthorn.Builder copy =
        posthorn()
            .environment("copy")
            .destination(Destination.named("shop", acking).allTypes().closesConnector().build())
            .handle("mail", Registered.class, (user, handling) -> {});
    assertThatThrownBy(copy::start).hasMessageContaining("POSTHORN-013");
    assertThat(acking.isClosed()).isTrue();
  }

  @Test
  void a_start_that_fails_before_the_relay_is_built_closes_the_connectors() {
    Posthorn.Builder twice =
        posthorn()
            .destination("mail", acking, Registered.class)
            .handle("mail", Registered.class, (user, handling) -> {});
    assertThatThrownBy(twice::start).hasMessageContaining("destination 'mail' was not added");
    assertThat(acking.isClosed()).isTrue();
  }

  @Test
  void a_migration_that_fails_closes_the_connectors() {
    DataSource nobody = database.as("nobody_of_this_name");
    Posthorn.Builder posthorn =
        Posthorn.on(PostgresqlStore.on(nobody), nobody)
            .environment("test")
            .payloads(PosthornTest::write, PosthornTest::read)
            .migrate()
            .destination("shop", acking, Registered.class)
            .handle("mail", Registered.class, (user, handling) -> {});
    assertThatThrownBy(posthorn::start).isInstanceOf(PosthornException.class);
    assertThat(acking.isClosed()).isTrue();
  }

  @Test
  void a_rule_keys_events_that_are_not_annotated_and_is_checked_at_the_start() throws Exception {
    try (Posthorn posthorn = posthorn().keyedBy(Plain.class, "user", Plain::user).start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Plain("ada")));
    }
    assertThat(database.query("SELECT key FROM posthorn_log", row -> row.getString(1)))
        .containsExactly("ada");
    Posthorn.Builder twice = posthorn().keyedBy(Registered.class, "user", Registered::user);
    assertThatThrownBy(twice::start)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("it has one already");
  }

  @Test
  void a_class_that_is_registered_is_checked_at_the_start() {
    assertThatThrownBy(() -> posthorn().types(TwoKeys.class))
        .hasMessageContaining("several components or methods with @MessageKey");
  }

  @Test
  void one_observer_hears_the_relay_and_the_consumers() throws Exception {
    Queue<Event> events = new ConcurrentLinkedQueue<>();
    try (Posthorn posthorn =
        posthorn()
            .observer(events::add)
            .handle("mail", Registered.class, (user, handling) -> {})
            .start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      await()
          .untilAsserted(
              () ->
                  assertThat(events)
                      .hasAtLeastOneElementOfType(Event.Handled.class)
                      .hasAtLeastOneElementOfType(Event.Sent.class));
    }
  }

  @Test
  void a_transaction_can_return_a_result() throws Exception {
    try (Posthorn posthorn = posthorn().start()) {
      String user =
          posthorn.callInTransaction(
              tx -> {
                posthorn.add(tx, new Registered("ada"));
                return "ada";
              });
      assertThat(user).isEqualTo("ada");
    }
    assertThat(database.logged()).hasSize(1);
  }

  /** Other languages of the JVM throw checked exceptions without declaring them. */
  @Test
  void any_exception_rolls_the_transaction_back() {
    try (Posthorn posthorn = posthorn().start()) {
      assertThatThrownBy(
              () ->
                  posthorn.inTransaction(
                      tx -> {
                        posthorn.add(tx, new Registered("ghost"));
                        PosthornTest.<RuntimeException>sneak(new IOException("undeclared"));
                      }))
          .isInstanceOf(IOException.class);
    }
    assertThat(database.logged()).isEmpty();
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Exception> void sneak(Exception e) throws X {
    throw (X) e;
  }

  @Test
  void a_dead_letter_is_found_and_requeued_from_the_same_entry() throws Exception {
    try (Posthorn posthorn =
        posthorn()
            .handle(
                "mail",
                Registered.class,
                (user, handling) -> {
                  if (seen.isEmpty()) {
                    seen.add("refused");
                    throw new RejectedException("NO_ADDRESS", "ada has no address");
                  }
                  seen.add(user.user());
                })
            .start()) {
      posthorn.inTransaction(tx -> posthorn.add(tx, new Registered("ada")));
      await()
          .untilAsserted(
              () ->
                  assertThat(posthorn.deadLetters().count(DeadLetterQuery.waiting())).isEqualTo(1));
      List<UUID> letters =
          posthorn.deadLetters().list(DeadLetterQuery.waiting(), null, 10).stream()
              .map(DeadLetter::id)
              .toList();
      posthorn.deadLetters().requeue(letters, Requeue.SAME, new Actor("anna", "has one now"));
      await().untilAsserted(() -> assertThat(seen).containsExactly("refused", "ada"));
      assertThat(posthorn.audit().verify().entries()).isPositive();
    }
  }
}

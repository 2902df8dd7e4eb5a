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
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.relay.Destination;
import io.posthorn.testkit.FakeConnector;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The one entry for plain Java. */
class PosthornTest {
  record Registered(@MessageKey("user") String user) {}

  record Welcomed(@MessageKey("user") String user) {}

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
    String user =
        event instanceof Registered registered ? registered.user() : ((Welcomed) event).user();
    return user.getBytes(UTF_8);
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
    Posthorn[] self = new Posthorn[1];
    try (Posthorn posthorn =
        posthorn()
            .handle(
                "mail",
                Registered.class,
                (user, handling) ->
                    self[0]
                        .message(handling.connection(), new Welcomed(user.user()))
                        .header("tenant", "north")
                        .add())
            .consumer(
                "audit",
                audit ->
                    audit.on(Welcomed.class, (user, handling) -> follow.add(handling.message())))
            .start()) {
      self[0] = posthorn;
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

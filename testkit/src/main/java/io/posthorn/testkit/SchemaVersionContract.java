package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.bus.UnknownTypes;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.message.UnreadablePayloadException;
import io.posthorn.core.message.Upcaster;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Messages of earlier and later versions than their handler reads. Version 1 of a change is its
 * key, version 2 is "key:", and version 3 is "key:n".
 */
public abstract class SchemaVersionContract extends BusTopic {
  /** Messages of this version are what {@link #changed} writes. */
  private static final int READ = 3;

  private static final Upcaster COLON = payload -> appended(payload, ":");
  private static final Upcaster SEVEN = payload -> appended(payload, "7");

  private static byte[] appended(byte[] payload, String text) {
    return (new String(payload, UTF_8) + text).getBytes(UTF_8);
  }

  private static MessageTypes types(int version) {
    return MessageTypes.of(
        MessageType.named("Changed")
            .from(Changed.class, "Thing", Changed::key)
            .schemaVersion(version));
  }

  private Bus program(int reads, UnaryOperator<Bus.Builder> choices) {
    return bus(types(reads), db().dataSource(), choices, relay -> relay);
  }

  /** A program with all steps, which receives from the source. */
  private Bus upcasting() {
    return program(READ, builder -> steps(builder.source(source)));
  }

  private static Bus.Builder steps(Bus.Builder builder) {
    return builder.upcast("Changed", 1, 2, COLON).upcast("Changed", 2, 3, SEVEN);
  }

  private static Message written(int version, String key, String payload) {
    return Message.of("Changed")
        .schemaVersion(version)
        .key("Thing", key)
        .json(payload.getBytes(UTF_8))
        .build();
  }

  private void awaitDead(String reason, String lastReason) {
    eventually(
        () ->
            assertThat(db().dead(BOOKS))
                .singleElement()
                .satisfies(
                    dead -> {
                      assertThat(dead.reason()).isEqualTo(reason);
                      assertThat(dead.lastReason()).isEqualTo(lastReason);
                    }));
  }

  private void awaitWaitingForCode(int messages) {
    eventually(
        () ->
            assertThat(db().parked(BOOKS))
                .hasSize(messages)
                .extracting(TestDatabase.Parked::waiting)
                .contains(Waiting.CODE));
    assertThat(db().dead(BOOKS)).isEmpty();
  }

  @Test
  void a_received_message_of_an_earlier_version_reaches_its_handler_through_all_steps() {
    Bus bus = upcasting();
    books(bus, writing());
    source.publish(
        written(1, "a", "a"), written(2, "b", "b:"), written(3, "c", "c:3"), written(1, "a", "a"));
    bus.start();
    awaitEffects(Map.of("a", List.of(7L, 7L), "b", List.of(7L), "c", List.of(3L)));
  }

  @Test
  void a_message_of_an_earlier_version_in_the_log_reaches_its_handler_through_all_steps()
      throws Exception {
    Bus old = program(1, builder -> builder);
    books(old, (changed, handling) -> {});
    old.start();
    old.close();
    inTransaction(tx -> db().store().append(tx, List.of(written(1, "a", "a")), List.of(""), false));
    Bus bus = program(READ, SchemaVersionContract::steps);
    books(bus, writing());
    bus.start();
    awaitEffects(Map.of("a", List.of(7L)));
  }

  @Test
  void a_handler_sees_the_version_that_was_written_and_the_one_that_it_reads() {
    Queue<List<Integer>> seen = new ConcurrentLinkedQueue<>();
    Bus bus = upcasting();
    books(
        bus,
        (changed, handling) ->
            seen.add(
                List.of(
                    handling.schemaVersion(),
                    handling.written().schemaVersion(),
                    handling.message().schemaVersion())));
    source.publish(written(1, "a", "a"));
    bus.start();
    eventually(() -> assertThat(seen).containsExactly(List.of(1, 1, 3)));
  }

  @Test
  void a_handler_of_bytes_gets_every_version_and_older_ones_converted() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    EventHandler<Message> handler =
        (message, handling) ->
            seen.add(message.schemaVersion() + "=" + new String(message.payload(), UTF_8));
    Bus bus = upcasting();
    bus.subscribe(BOOKS).on("Changed", handler);
    source.publish(written(1, "a", "a"), written(9, "a", "later"));
    bus.start();
    eventually(() -> assertThat(seen).containsExactly("3=a:7", "9=later"));
  }

  @Test
  void a_received_message_of_a_newer_version_waits_for_code_and_its_key_waits_behind_it() {
    for (Mode mode : Mode.values()) {
      String a = "a" + mode;
      Bus bus = upcasting();
      books(bus, writing()).mode(mode).unknownTypes(UnknownTypes.DEAD).grace(Duration.ZERO);
      source.publish(written(4, a, a), written(3, a, a + ":1"), written(3, "b" + mode, "b:1"));
      bus.start();
      eventually(() -> assertThat(effects().of(BOOKS, "b")).isNotEmpty());
      awaitWaitingForCode(2);
      assertThat(events)
          .anyMatch(
              event -> event instanceof Event.Parked parked && parked.waiting() == Waiting.CODE);
      bus.close();
      Bus newer =
          program(4, builder -> steps(builder.source(source)).upcast("Changed", 3, 4, p -> p));
      Subscription reading = newer.subscribe(BOOKS);
      reading
          .on(
              "Changed",
              4,
              (message, h) -> effects().add(h.connection(), BOOKS, a, h.schemaVersion()))
          .mode(mode);
      newer.start();
      eventually(() -> assertThat(effects().of(BOOKS, a)).containsExactly(4L, 3L));
      newer.close();
    }
  }

  @Test
  void a_message_in_the_log_that_no_steps_lead_to_its_handler_s_version_waits_for_code()
      throws Exception {
    Bus bus = program(READ, builder -> builder.upcast("Changed", 2, 3, SEVEN));
    books(bus, writing()).unknownTypes(UnknownTypes.DEAD).grace(Duration.ZERO);
    bus.start();
    inTransaction(
        tx ->
            db().store()
                .append(
                    tx,
                    List.of(written(1, "a", "a"), written(2, "b", "b:")),
                    List.of("", ""),
                    false));
    awaitEffects(Map.of("b", List.of(7L)));
    awaitWaitingForCode(1);
    bus.close();
    Bus complete = program(READ, SchemaVersionContract::steps);
    books(complete, writing());
    complete.start();
    awaitEffects(Map.of("a", List.of(7L), "b", List.of(7L)));
  }

  @Test
  void a_message_whose_upcaster_fails_is_retried_and_then_dead() {
    Bus bus =
        program(
            READ,
            builder ->
                builder
                    .source(source)
                    .upcast("Changed", 1, 2, COLON)
                    .upcast(
                        "Changed",
                        2,
                        3,
                        payload -> {
                          throw new IllegalStateException("no number");
                        }));
    books(bus, writing());
    source.publish(written(1, "a", "a"), written(3, "b", "b:1"));
    bus.start();
    awaitDead(Reason.RETRY_EXHAUSTED, Reason.UPCAST_FAILED);
    awaitEffects(Map.of("b", List.of(1L)));
  }

  @Test
  void a_payload_that_an_upcaster_cannot_read_is_dead_at_once() {
    Bus bus =
        program(
            READ,
            builder ->
                builder
                    .source(source)
                    .upcast("Changed", 2, 3, SEVEN)
                    .upcast(
                        "Changed",
                        1,
                        2,
                        payload -> {
                          throw new UnreadablePayloadException("it has no key");
                        }));
    books(bus, writing());
    source.publish(written(1, "a", "a"));
    bus.start();
    awaitDead(Reason.SCHEMA_MISMATCH, Reason.SCHEMA_MISMATCH);
  }

  @Test
  void a_message_that_was_handled_is_not_handled_again_when_upcasters_are_added() {
    Message message = written(1, "a", "a:1");
    Bus old = program(1, builder -> builder.source(source));
    books(old, writing());
    source.publish(message);
    old.start();
    awaitEffects(Map.of("a", List.of(1L)));
    old.close();
    Bus bus = upcasting();
    books(bus, writing());
    source.publish(message, written(3, "b", "b:1"));
    bus.start();
    awaitEffects(Map.of("a", List.of(1L), "b", List.of(1L)));
    assertThat(db().dead(BOOKS)).isEmpty();
  }

  @Test
  void a_payload_that_its_schema_refuses_is_dead_before_its_handler_is_called() {
    MessageTypes types = types(READ).schemas(noKeyX());
    Bus bus =
        bus(types, db().dataSource(), builder -> steps(builder.source(source)), relay -> relay);
    books(bus, writing());
    source.publish(written(1, "x", "x"), written(3, "b", "b:1"));
    bus.start();
    awaitDead(Reason.SCHEMA_MISMATCH, Reason.SCHEMA_MISMATCH);
    awaitEffects(Map.of("b", List.of(1L)));
  }

  private static PayloadSchemas noKeyX() {
    return new PayloadSchemas() {
      @Override
      public boolean has(String type, int schemaVersion) {
        return schemaVersion == READ;
      }

      @Override
      public Optional<String> problemWith(Message message) {
        return has(message.type(), message.schemaVersion())
                && new String(message.payload(), UTF_8).startsWith("x:")
            ? Optional.of("its key is x")
            : Optional.empty();
      }
    };
  }

  @Test
  void a_bus_whose_steps_do_not_lead_to_its_handler_s_version_does_not_start() {
    Bus bus = program(READ, builder -> builder.source(source).upcast("Changed", 1, 2, COLON));
    books(bus, writing());
    assertThatThrownBy(bus::start)
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining(
            "the upcasters of 'Changed' lead to version 2, but "
                + Changed.class.getName()
                + " reads version 3: add upcast(\"Changed\", 2, 3, …)");
  }
}

package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.UnknownTypes;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages of types that a consumer has no handler for. */
public abstract class UnknownTypesContract extends BusTopic {
  private static Message other(String key) {
    return Message.of("Other").key("Thing", key).json((key + ":0").getBytes(UTF_8)).build();
  }

  @Test
  void a_message_of_an_unknown_type_waits_and_its_key_waits_behind_it() {
    Bus bus = bus();
    books(bus, writing());
    source.publish(other("a"), changed("a", 1), changed("b", 1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("b", List.of(1L)));
    assertThat(db().parked(BOOKS))
        .extracting(TestDatabase.Parked::waiting)
        .hasSize(2)
        .contains(Waiting.CODE);
    assertThat(events).anyMatch(event -> event instanceof Event.UnknownType);
  }

  @Test
  void a_program_that_has_the_handler_handles_the_waiting_messages() {
    Bus old = bus();
    books(old, writing());
    source.publish(other("a"), changed("a", 1));
    old.start();
    awaitAcknowledged();
    old.close();
    Bus newer = bus();
    books(newer, writing())
        .on("Other", (message, h) -> effects().add(h.connection(), BOOKS, "a", 0));
    newer.start();
    awaitEffects(Map.of("a", List.of(0L, 1L)));
  }

  @Test
  void a_message_of_an_unknown_type_is_dead_after_the_grace_period_and_its_key_goes_on() {
    for (Mode mode : Mode.values()) {
      String consumer = "in-mode-" + mode;
      Bus bus = bus();
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> effects().add(h.connection(), consumer, c.key(), c.n()))
          .mode(mode)
          .grace(Duration.ofMillis(300));
      source.publish(other("a" + mode), changed("a" + mode, 1));
      bus.start();
      eventually(() -> assertThat(effects().of(consumer, "a" + mode)).containsExactly(1L));
      assertThat(db().dead(consumer))
          .isNotEmpty()
          .allMatch(dead -> dead.reason().equals(Reason.UNKNOWN_TYPE));
      bus.close();
    }
  }

  @Test
  void a_message_of_an_unknown_type_is_dead_at_once_if_the_consumer_is_configured_so() {
    Bus bus = bus();
    books(bus, writing()).unknownTypes(UnknownTypes.DEAD);
    source.publish(other("a"), changed("a", 1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(db().dead(BOOKS))
        .singleElement()
        .satisfies(dead -> assertThat(dead.reason()).isEqualTo(Reason.UNKNOWN_TYPE));
  }

  @Test
  void a_consumer_can_ignore_all_types_that_it_has_no_handler_for() {
    for (Mode mode : Mode.values()) {
      String consumer = "in-mode-" + mode;
      Bus bus = bus();
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> effects().add(h.connection(), consumer, c.key(), c.n()))
          .mode(mode)
          .unknownTypes(UnknownTypes.IGNORE);
      source.publish(other("a"), changed(mode.name(), 1));
      bus.start();
      eventually(() -> assertThat(source.unacknowledged(consumer)).isZero());
      eventually(() -> assertThat(effects().of(consumer, mode.name())).containsExactly(1L));
      assertThat(db().dead(consumer)).isEmpty();
      bus.close();
    }
  }

  @Test
  void no_message_overtakes_another_of_its_key_while_the_consumer_is_paused() {
    Bus bus = bus();
    books(bus, writing());
    source.publish(changed("b", 1));
    bus.start();
    awaitAcknowledged();
    db().pause(BOOKS, true);
    source.publish(changed("a", 1), other("a"), changed("a", 2));
    eventually(() -> assertThat(source.polled(BOOKS)).isEqualTo(4));
    assertThat(source.unacknowledged(BOOKS)).isEqualTo(3);
    db().pause(BOOKS, false);
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(1L), "b", List.of(1L)));
    assertThat(db().parked(BOOKS)).hasSize(2);
  }

  @Test
  void a_consumer_can_ignore_single_types() {
    Bus bus = bus();
    books(bus, writing()).ignoring("Other");
    source.publish(other("a"), changed("a", 1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(db().parked(BOOKS)).isEmpty();
  }
}

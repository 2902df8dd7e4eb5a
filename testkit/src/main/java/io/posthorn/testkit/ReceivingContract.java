package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Isolation;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Messages that take effect once, in the order of their keys. */
public abstract class ReceivingContract extends BusTopic {
  @Test
  void a_message_takes_effect_once_however_often_it_comes_and_keys_keep_their_order() {
    source.losing(0.05);
    source.publishRepeating(changes(20, 25));
    Bus bus = bus();
    books(bus, writing()).threads(3);
    bus.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(20, 25));
    assertThat(events).anyMatch(event -> event instanceof Event.Repeated);
    assertThat(db().parked(BOOKS)).isEmpty();
    assertThat(db().dead(BOOKS)).isEmpty();
  }

  @Test
  void messages_of_a_durable_subscription_take_effect_once_in_the_order_of_their_key() {
    source.losing(0.05);
    source.publishRepeating(changes(20, 25));
    Bus bus = bus();
    books(bus, writing()).threads(3).mode(Mode.DURABLE);
    bus.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(20, 25));
    eventually(() -> assertThat(db().parked(BOOKS)).isEmpty());
    assertThat(db().dead(BOOKS)).isEmpty();
  }

  @Test
  void a_durable_subscription_acknowledges_stored_messages_before_they_are_handled()
      throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Bus bus = bus();
    books(
            bus,
            (changed, handling) -> {
              go.await();
              writing().handle(changed, handling);
            })
        .mode(Mode.DURABLE);
    source.publish(changed("a", 1));
    bus.start();
    awaitAcknowledged();
    assertThat(effects().count(BOOKS)).isZero();
    go.countDown();
    awaitEffects(Map.of("a", List.of(1L)));
  }

  @Test
  void sixteen_threads_that_get_one_message_at_once_handle_it_once() {
    MemorySource everywhere = new MemorySource(16, 1);
    for (int n = 1; n <= 20; n++) {
      everywhere.publishEverywhere(changed("a" + n, 1));
    }
    Bus bus = bus(db().dataSource(), builder -> builder.source(everywhere));
    books(bus, writing()).threads(16);
    bus.start();
    eventually(() -> assertThat(everywhere.unacknowledged(BOOKS)).isZero());
    assertThat(effects().count(BOOKS)).isEqualTo(20);
  }

  @Test
  void each_consumer_handles_a_message_for_itself() {
    source.publish(changed("a", 1));
    Bus bus = bus();
    books(bus, writing());
    bus.subscribe(
        "mail", Changed.class, (c, h) -> effects().add(h.connection(), "mail", c.key(), c.n()));
    bus.start();
    awaitEffects(Map.of("a", List.of(1L)));
    eventually(() -> assertThat(effects().of("mail", "a")).containsExactly(1L));
  }

  @Test
  void no_message_is_acknowledged_before_its_commit() {
    ConcurrentLinkedQueue<String> early = new ConcurrentLinkedQueue<>();
    source.onAcknowledge(
        (consumer, done) -> {
          Map<String, List<Long>> committed = effects().byKey(BOOKS);
          for (Received received : done) {
            Changed changed = changedOf(received.message());
            if (!committed.getOrDefault(changed.key(), List.of()).contains(changed.n())) {
              early.add(changed.toString());
            }
          }
        });
    source.publishRepeating(changes(5, 20));
    Bus bus = bus();
    books(bus, writing()).threads(2);
    bus.start();
    awaitAcknowledged();
    assertThat(early).isEmpty();
  }

  static Changed changedOf(Message message) {
    try {
      return (Changed) Objects.requireNonNull(READER.read(message.payload(), Changed.class));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void what_a_handler_publishes_is_committed_with_its_effect_or_not_at_all() {
    AtomicInteger calls = new AtomicInteger();
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          handling.publish(new Noted(changed.key(), changed.n()));
          writing().handle(changed, handling);
          if (calls.incrementAndGet() < 3) {
            throw new IllegalStateException("not yet");
          }
        });
    source.publish(changed("a", 1));
    bus.start();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(db().logged()).hasSize(1);
  }

  @Test
  void correlation_causation_and_trace_are_passed_on_automatically() {
    AtomicReference<Message> next = new AtomicReference<>();
    Bus bus = bus();
    books(bus, (changed, handling) -> bus.publish(handling.connection(), new Noted("a", 1)));
    bus.subscribe("notes").on(Noted.class, (noted, h) -> next.set(h.message())).inProcess();
    Message first =
        TYPES
            .message(new Changed("a", 1), WRITER)
            .correlationId("order-7")
            .header(Headers.TRACEPARENT, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .header(Headers.TRACESTATE, "x=1")
            .build();
    source.publish(first);
    bus.start();
    eventually(
        () ->
            assertThat(headersOf(next))
                .containsEntry(Headers.CORRELATION_ID, "order-7")
                .containsEntry(Headers.CAUSATION_ID, first.id().toString())
                .containsEntry(Headers.TRACEPARENT, first.headers().get(Headers.TRACEPARENT))
                .containsEntry(Headers.TRACESTATE, "x=1"));
  }

  private static Map<String, String> headersOf(AtomicReference<Message> message) {
    Message got = message.get();
    return got == null ? Map.of() : got.headers();
  }

  @Test
  void a_message_without_a_correlation_id_is_correlated_by_its_own_id() {
    AtomicReference<Message> next = new AtomicReference<>();
    Bus bus = bus();
    books(bus, (changed, handling) -> handling.publish(new Noted("a", 1)));
    bus.subscribe("notes").on(Noted.class, (noted, h) -> next.set(h.message())).inProcess();
    Message first = changed("a", 1);
    source.publish(first);
    bus.start();
    eventually(
        () ->
            assertThat(headersOf(next))
                .containsEntry(Headers.CORRELATION_ID, first.id().toString()));
  }

  @Test
  void a_handler_cannot_end_its_transaction() {
    List<Throwable> thrown = new ArrayList<>();
    AtomicReference<Connection> kept = new AtomicReference<>();
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          Connection tx = handling.connection();
          kept.set(tx);
          thrown.add(thrownBy(tx::commit));
          thrown.add(thrownBy(tx::rollback));
          thrown.add(thrownBy(tx::close));
          thrown.add(thrownBy(() -> tx.setAutoCommit(true)));
          tx.rollback(tx.setSavepoint());
          writing().handle(changed, handling);
        });
    source.publish(changed("a", 1));
    bus.start();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(thrown)
        .hasSize(4)
        .allSatisfy(
            e ->
                assertThat(e)
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("POSTHORN-020"));
    Connection after = Objects.requireNonNull(kept.get());
    assertThatThrownBy(after::createStatement).hasMessageContaining("POSTHORN-020");
  }

  private interface Call {
    void run() throws Exception;
  }

  private static Throwable thrownBy(Call call) {
    try {
      call.run();
    } catch (Throwable e) {
      return e;
    }
    return new AssertionError("nothing was thrown");
  }

  @Test
  void conflicts_are_repeated_at_any_isolation_level_and_nothing_is_parked() {
    for (Isolation level : Isolation.values()) {
      MemorySource here = new MemorySource(4, 7);
      here.publishRepeating(changes(8, 10));
      String consumer = "at-" + level;
      Bus bus = bus(db().dataSource(), builder -> builder.source(here));
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> {
                // All threads write one row.
                try (PreparedStatement sum =
                    h.connection()
                        .prepareStatement("UPDATE effect SET n = n + 1 WHERE consumer = ?")) {
                  sum.setString(1, "sum-" + level);
                  sum.executeUpdate();
                }
                effects().add(h.connection(), consumer, c.key(), c.n());
              })
          .isolation(level)
          .batch(3)
          .threads(4);
      try (Connection connection = db().dataSource().getConnection()) {
        effects().add(connection, "sum-" + level, "sum", 0);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
      bus.start();
      eventually(() -> assertThat(here.unacknowledged(consumer)).isZero());
      eventually(() -> assertThat(effects().count(consumer)).isEqualTo(80));
      assertThat(effects().of("sum-" + level, "sum")).containsExactly(80L);
      assertThat(effects().byKey(consumer)).isEqualTo(effectsOf(8, 10));
      bus.close();
    }
  }

  @Test
  void a_message_that_comes_after_a_younger_one_is_marked_as_out_of_order() {
    List<Boolean> marks = new ArrayList<>();
    Bus bus = bus();
    books(bus, (changed, handling) -> marks.add(handling.outOfOrder()));
    Message older = changed("a", 1).withSequence(1);
    Message younger = changed("a", 2).withSequence(2);
    source.withoutSequences().publish(younger, older);
    bus.start();
    awaitAcknowledged();
    assertThat(marks).containsExactly(false, true);
  }

  @Test
  void with_latest_wins_an_older_event_is_recorded_and_not_handled() {
    Bus bus = bus();
    books(bus, writing()).latestWins();
    source.withoutSequences();
    source.publish(changed("a", 2).withSequence(2), changed("a", 1).withSequence(1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(2L)));
    assertThat(events).anyMatch(event -> event instanceof Event.Stale);
  }

  @Test
  void closing_a_bus_leaves_no_message_to_be_handed_out_twice() {
    source.publish(changes(10, 100).toArray(Message[]::new));
    Bus bus = bus();
    books(bus, writing()).batch(10);
    bus.start();
    eventually(() -> assertThat(effects().count(BOOKS)).isGreaterThan(20));
    bus.close();
    Bus next = bus();
    books(next, writing());
    next.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(10, 100));
    assertThat(events).noneMatch(event -> event instanceof Event.Repeated);
  }
}

package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Consumers of this database's own log, and the configuration of a bus. */
public abstract class InProcessContract extends BusTopic {
  private void publish(List<Message> messages) throws SQLException {
    inTransaction(tx -> Outbox.on(store(), TYPES).build().add(tx, messages));
  }

  @Test
  void published_messages_take_effect_once_in_the_order_of_their_key() throws SQLException {
    Bus bus = inProcessBus();
    books(bus, writing()).threads(4);
    bus.start();
    publish(changes(20, 30));
    awaitEffects(effectsOf(20, 30));
  }

  @Test
  void receiving_and_changing_state_and_publishing_are_one_commit() throws SQLException {
    AtomicInteger failures = new AtomicInteger(2);
    Bus bus = inProcessBus();
    books(
        bus,
        (changed, handling) -> {
          writing().handle(changed, handling);
          handling.publish(new Noted(changed.key(), changed.n()));
          if (changed.n() == 3 && failures.getAndDecrement() > 0) {
            throw new IllegalStateException("not yet");
          }
        });
    bus.subscribe(
        "notes", Noted.class, (n, h) -> effects().add(h.connection(), "notes", n.key(), n.n()));
    bus.start();
    inTransaction(
        tx -> {
          for (int n = 1; n <= 10; n++) {
            bus.publish(tx, new Changed("a", n));
          }
        });
    eventually(() -> assertThat(effects().of("notes", "a")).hasSize(10));
    assertThat(effects().of("notes", "a")).isEqualTo(effects().of(BOOKS, "a"));
    assertThat(effects().of(BOOKS, "a")).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void messages_of_a_rolled_back_transaction_are_never_handled() throws SQLException {
    Bus bus = inProcessBus();
    books(bus, writing());
    bus.start();
    try (var tx = db().dataSource().getConnection()) {
      tx.setAutoCommit(false);
      bus.publish(tx, new Changed("ghost", 1));
      tx.rollback();
      tx.setAutoCommit(true);
    }
    inTransaction(tx -> bus.publish(tx, new Changed("a", 1)));
    awaitEffects(Map.of("a", List.of(1L)));
  }

  @Test
  void a_handler_that_exceeds_its_timeout_is_not_run_twice_at_once() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicBoolean beside = new AtomicBoolean();
    CountDownLatch slow = new CountDownLatch(1);
    Bus bus = inProcessBus();
    books(
            bus,
            (changed, handling) -> {
              beside.compareAndSet(false, running.incrementAndGet() > 1);
              slow.await();
              writing().handle(changed, handling);
              running.decrementAndGet();
            })
        .threads(4)
        .retry(RelayTopic.QUICK.attempts(100))
        .timeout(Duration.ofMillis(200));
    bus.start();
    publish(List.of(changed("a", 1)));
    eventually(
        () ->
            assertThat(events)
                .filteredOn(Event.CallFailed.class::isInstance)
                .hasSizeGreaterThan(1));
    slow.countDown();
    eventually(() -> assertThat(db().parked(BOOKS)).isEmpty());
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(beside).isFalse();
  }

  @Test
  void messages_that_wait_for_slow_handlers_do_not_time_out() throws SQLException {
    AtomicInteger calls = new AtomicInteger();
    Bus bus = inProcessBus();
    books(
            bus,
            (changed, handling) -> {
              calls.incrementAndGet();
              Thread.sleep(400);
              writing().handle(changed, handling);
            })
        .threads(2)
        .timeout(Duration.ofSeconds(1));
    publish(changes(16, 1));
    bus.start();
    awaitEffects(effectsOf(16, 1));
    assertThat(calls).hasValue(16);
    assertThat(events).noneMatch(event -> event instanceof Event.CallFailed);
  }

  @Test
  void a_message_that_fails_in_a_batch_does_not_harm_the_others() throws SQLException {
    List<Message> all = new ArrayList<>(changes(50, 1));
    Bus bus = inProcessBus();
    books(
        bus,
        (changed, handling) -> {
          writing().handle(changed, handling);
          if (changed.key().endsWith("7")) {
            throw new IllegalStateException("broken");
          }
        });
    bus.start();
    publish(all);
    eventually(() -> assertThat(db().dead(BOOKS)).hasSize(5));
    assertThat(effects().count(BOOKS)).isEqualTo(45);
  }

  @Test
  void the_error_for_an_invalid_bus_lists_all_its_problems() {
    Bus bus = bus(db().dataSource(), builder -> builder.payloads(WRITER, READER));
    bus.subscribe("empty");
    bus.subscribe("odd", String.class, (text, h) -> {}).batch(0).threads(0).tries(0);
    bus.subscribe("both", Changed.class, (c, h) -> {})
        .on("Changed", (m, h) -> {})
        .latestWins()
        .idempotent();
    assertThatThrownBy(bus::start)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("7 problems")
        .hasMessageContaining("consumer 'empty' has no handler")
        .hasMessageContaining("java.lang.String, which is not registered for any type")
        .hasMessageContaining("batch is 0")
        .hasMessageContaining("threads is 0")
        .hasMessageContaining("tries is 0")
        .hasMessageContaining("two handlers for Changed")
        .hasMessageContaining("idempotent() and latestWins()");
  }
}

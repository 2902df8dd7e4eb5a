package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The database is down, or the result of a commit is unknown. */
public abstract class HandlerOutageContract extends BusTopic {
  @Test
  void messages_stay_in_hand_and_use_up_no_attempt_while_the_database_is_down() {
    for (Mode mode : Mode.values()) {
      ShakyDataSource shaky = new ShakyDataSource(db().dataSource());
      MemorySource here = new MemorySource(2, 5);
      String consumer = "in-mode-" + mode;
      here.publishRepeating(changes(5, 20));
      shaky.away(true);
      Bus bus = bus(shaky, builder -> builder.source(here));
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> effects().add(h.connection(), consumer, c.key(), c.n()))
          .mode(mode)
          .threads(2);
      bus.start();
      eventually(() -> assertThat(shaky.refused()).isGreaterThan(3));
      here.rebalance(consumer);
      assertThat(db().parked(consumer)).isEmpty();
      shaky.away(false);
      eventually(() -> assertThat(here.unacknowledged(consumer)).isZero());
      eventually(() -> assertThat(effects().count(consumer)).isEqualTo(100));
      assertThat(effects().byKey(consumer)).isEqualTo(effectsOf(5, 20));
      assertThat(events)
          .noneMatch(
              e ->
                  e instanceof Event.Parked p
                      && p.destination().equals(consumer)
                      && p.attempts() > 0);
      bus.close();
    }
  }

  @Test
  void messages_with_a_single_attempt_outlive_an_outage_of_a_service_that_their_handlers_call() {
    for (Mode mode : Mode.values()) {
      AtomicBoolean up = new AtomicBoolean();
      MemorySource here = new MemorySource(2, 5);
      String consumer = "calls-in-mode-" + mode;
      here.publishRepeating(changes(10, 1));
      Bus bus = bus(db().dataSource(), builder -> builder.source(here));
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> {
                if (!up.get()) {
                  throw new IOException("HTTP/1.1 header parser received no bytes");
                }
                effects().add(h.connection(), consumer, c.key(), c.n());
              })
          .mode(mode)
          .tries(1)
          .retry(RelayTopic.QUICK.attempts(1));
      bus.start();
      eventually(() -> assertThat(db().parked(consumer)).hasSize(10));
      eventually(
          () ->
              assertThat(events)
                  .filteredOn(
                      e -> e instanceof Event.CallFailed f && f.destination().equals(consumer))
                  .hasSizeGreaterThan(20));
      assertThat(db().dead(consumer)).isEmpty();
      up.set(true);
      eventually(() -> assertThat(effects().count(consumer)).isEqualTo(10));
      assertThat(db().dead(consumer)).isEmpty();
      bus.close();
    }
  }

  @Test
  void a_connection_that_breaks_in_a_handler_costs_no_attempt() {
    ShakyDataSource shaky = new ShakyDataSource(db().dataSource());
    shaky.breakInUse(20);
    source.publishRepeating(changes(5, 20));
    Bus bus = bus(shaky, builder -> builder.source(source));
    books(bus, writing()).threads(2).batch(5);
    bus.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(5, 20));
    assertThat(shaky.broken()).isEqualTo(20);
    assertThat(events).noneMatch(event -> event instanceof Event.CallFailed);
  }

  @Test
  void a_commit_whose_answer_was_lost_takes_effect_once() {
    ShakyDataSource shaky = new ShakyDataSource(db().dataSource());
    shaky.loseAnswers(4);
    source.publish(changes(5, 20).toArray(Message[]::new));
    Bus bus = bus(shaky, builder -> builder.source(source));
    books(bus, writing()).batch(3);
    bus.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(5, 20));
    assertThat(events).anyMatch(event -> event instanceof Event.Repeated);
  }

  /**
   * Writes an effect; for one key, it first loses the connection, in one of the ways in which that
   * happens.
   */
  private EventHandler<Changed> losing(String key, boolean tells) {
    return (changed, handling) -> {
      if (changed.key().equals(key)) {
        handling.connection().unwrap(Connection.class).close();
        if (!tells) {
          return;
        }
      }
      writing().handle(changed, handling);
    };
  }

  @Test
  void a_message_whose_handler_always_loses_its_connection_is_parked_and_the_feed_goes_on() {
    for (boolean tells : new boolean[] {true, false}) {
      MemorySource here = new MemorySource(1, 5);
      String poison = "poison-" + tells;
      here.publish(changed("before-" + tells, 1), changed(poison, 1), changed("after-" + tells, 1));
      Bus bus = bus(db().dataSource(), builder -> builder.source(here));
      books(bus, losing(poison, tells));
      bus.start();
      eventually(() -> assertThat(here.unacknowledged(BOOKS)).isZero());
      eventually(
          () ->
              assertThat(db().dead(BOOKS))
                  .extracting(TestDatabase.Dead::content)
                  .contains(poison + ":1"));
      assertThat(effects().of(BOOKS, "before-" + tells)).containsExactly(1L);
      assertThat(effects().of(BOOKS, "after-" + tells)).containsExactly(1L);
      assertThat(effects().of(BOOKS, poison)).isEmpty();
      bus.close();
    }
    assertThat(db().dead(BOOKS)).hasSize(2);
  }

  @Test
  void a_message_of_the_log_whose_handler_always_loses_its_connection_is_dead_and_no_other()
      throws SQLException {
    Bus bus = bus(db().dataSource(), builder -> builder);
    books(bus, losing("k2", true)).batch(10);
    bus.start();
    inTransaction(tx -> Outbox.on(store(), TYPES).build().add(tx, changes(5, 1)));
    eventually(
        () ->
            assertThat(db().dead(BOOKS))
                .extracting(TestDatabase.Dead::content)
                .containsExactly("k2:1"));
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(4));
  }

  @Test
  void a_database_that_goes_down_during_a_handler_uses_up_no_attempt() {
    ShakyDataSource shaky = new ShakyDataSource(db().dataSource());
    AtomicBoolean goes = new AtomicBoolean(true);
    source.publish(changes(3, 3).toArray(Message[]::new));
    Bus bus = bus(shaky, builder -> builder.source(source));
    books(
        bus,
        (changed, handling) -> {
          if (goes.compareAndSet(true, false)) {
            shaky.breakInUse(1);
            shaky.away(true);
          }
          writing().handle(changed, handling);
          writing().handle(new Changed("again-" + changed.key(), changed.n()), handling);
        });
    bus.start();
    eventually(() -> assertThat(shaky.refused()).isGreaterThan(5));
    assertThat(db().parked(BOOKS)).isEmpty();
    shaky.away(false);
    awaitAcknowledged();
    assertThat(effects().count(BOOKS)).isEqualTo(18);
    assertThat(events)
        .noneMatch(event -> event instanceof Event.CallFailed || event instanceof Event.Parked);
  }
}

package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import org.junit.jupiter.api.Test;

/** The database is away, or nobody knows whether a commit was done. */
public abstract class HandlerOutageContract extends BusTopic {
  @Test
  void while_the_database_is_away_messages_stay_in_hand_and_none_is_blamed() {
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
  void a_connection_that_breaks_in_a_handler_is_not_the_message_s_fault() {
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
}

package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.outbox.Outbox;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A person replays messages. */
public abstract class ReplayContract extends BusTopic {
  private static final Actor SOMEBODY = new Actor("somebody", "a bug lost the effects");

  private Inbox people() {
    return Inbox.on(db().operator());
  }

  private void assertAudited() {
    assertThat(db().operator().audit(0, 10))
        .anySatisfy(
            entry -> {
              assertThat(entry.action()).isEqualTo("inbox.replay");
              assertThat(entry.who()).isEqualTo(SOMEBODY.who());
              assertThat(entry.why()).isEqualTo(SOMEBODY.why());
              assertThat(entry.target()).contains(BOOKS);
            });
  }

  @Test
  void only_replayed_messages_are_handled_again_when_they_come_again() {
    for (Mode mode : Mode.values()) {
      String consumer = BOOKS + "-" + mode;
      MemorySource here = new MemorySource(1, 3);
      Message wanted = changed("a", 1);
      Message[] all = {wanted, changed("a", 2), changed("b", 1)};
      here.publish(all);
      Bus bus = bus(db().dataSource(), builder -> builder.source(here));
      bus.subscribe(
              consumer,
              Changed.class,
              (c, h) -> effects().add(h.connection(), consumer, c.key(), c.n()))
          .mode(mode);
      bus.start();
      eventually(() -> assertThat(effects().count(consumer)).isEqualTo(3));
      assertThat(people().replay(consumer, wanted.id(), SOMEBODY)).isTrue();
      here.publish(all);
      here.publish(all);
      here.publish(changed("end", 1));
      eventually(() -> assertThat(here.unacknowledged(consumer)).isZero());
      eventually(() -> assertThat(effects().of(consumer, "end")).containsExactly(1L));
      assertThat(effects().of(consumer, "a")).containsExactly(1L, 2L, 1L);
      assertThat(effects().of(consumer, "b")).containsExactly(1L);
      assertAudited();
    }
  }

  @Test
  void a_replayed_hour_is_handled_in_the_order_in_which_it_comes() {
    Bus bus = bus();
    books(bus, writing()).latestWins();
    List<Message> all = changes(5, 4);
    source.publish(all.toArray(Message[]::new));
    bus.start();
    awaitEffects(effectsOf(5, 4));
    assertThat(people().replay(ReceiptQuery.of(BOOKS), SOMEBODY)).isEqualTo(20);
    source.publishRepeating(all);
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(40));
    awaitAcknowledged();
    assertThat(effects().count(BOOKS)).isEqualTo(40);
    assertThat(effects().of(BOOKS, "k3")).containsExactly(1L, 2L, 3L, 4L, 1L, 2L, 3L, 4L);
    assertAudited();
  }

  @Test
  void a_replayed_message_of_the_log_is_handled_again_when_it_is_sent_again() throws SQLException {
    Bus bus = inProcessBus();
    books(bus, writing());
    bus.start();
    inTransaction(tx -> Outbox.on(store(), TYPES).build().add(tx, changes(2, 2)));
    awaitEffects(effectsOf(2, 2));
    resend();
    eventually(() -> assertThat(db().parked(BOOKS)).isEmpty());
    assertThat(effects().count(BOOKS)).as("not marked, so dropped").isEqualTo(4);
    assertThat(people().replay(ReceiptQuery.of(BOOKS), SOMEBODY)).isEqualTo(4);
    resend();
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(8));
    assertThat(effects().byKey(BOOKS))
        .isEqualTo(Map.of("k0", List.of(1L, 2L, 1L, 2L), "k1", List.of(1L, 2L, 1L, 2L)));
    assertAudited();
  }

  private void resend() {
    Operations operations = Operations.on(db().operator());
    Plan plan = Plan.resend(SentQuery.to(BOOKS));
    operations.run(operations.start(plan, SOMEBODY).id(), progress -> {});
  }
}

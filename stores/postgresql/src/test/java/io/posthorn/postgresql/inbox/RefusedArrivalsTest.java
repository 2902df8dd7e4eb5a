package io.posthorn.postgresql.inbox;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Poison;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.MemorySource;
import io.posthorn.testkit.TestDatabase.Dead;
import io.posthorn.testkit.TestMessages;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One received message cannot be written; those behind it are handled all the same. */
class RefusedArrivalsTest {
  private static final MessageTypes TYPES = MessageTypes.named(TestMessages.TYPE);

  private final Poison poison = new Poison();
  private final MemorySource source = new MemorySource(1, 7);

  /** Counts each message once, because handlers run again after a rollback. */
  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    poison.close();
  }

  private Bus start(boolean durable) {
    PostgresqlStore store = PostgresqlStore.on(poison.database.dataSource());
    Bus bus =
        Bus.on(store, poison.database.dataSource(), Outbox.on(store, TYPES).build(), TYPES)
            .source(source)
            .observer(events::add)
            .relay(Relay.on(store, "tests", "test"))
            .build();
    var stock =
        bus.subscribe("stock")
            .on(
                TestMessages.TYPE,
                (message, handling) -> {
                  if (isGuilty(message)) {
                    throw new IllegalStateException("bad text: ½");
                  }
                  handled.add(TestMessages.content(message));
                });
    if (durable) {
      stock.mode(Mode.DURABLE);
    }
    bus.start();
    return bus;
  }

  private void publish() {
    for (int n = 0; n < 3; n++) {
      source.publish(new Message[] {Poison.message("k0", n), Poison.message("k1", n)});
    }
  }

  private void othersAreHandled() {
    await()
        .untilAsserted(
            () ->
                assertThat(handled)
                    .containsExactlyInAnyOrder("k0:0", "k1:0", "k0:1", "k0:2", "k1:2"));
  }

  private Dead letter() {
    await().untilAsserted(() -> assertThat(poison.database.dead("stock")).hasSize(1));
    return poison.database.dead("stock").get(0);
  }

  @Test
  void a_message_whose_failure_cannot_be_stored_is_a_dead_letter_and_those_behind_it_are_handled() {
    poison
        .refusing("INSERT", "posthorn_parked", "22P05", "NEW.last_error LIKE '%½%'")
        .refusing("INSERT", "posthorn_dead", "22P05", "NEW.error LIKE '%½%'");
    try (Bus unused = start(false)) {
      publish();
      othersAreHandled();
      assertThat(letter().messageId()).isEqualTo(GUILTY);
      assertThat(letter().reason()).isEqualTo(Reason.STORE_REFUSED);
    }
  }

  @Test
  void
      a_message_that_cannot_be_parked_is_a_dead_letter_and_those_behind_it_are_stored_and_handled() {
    poison.refusing("INSERT", "posthorn_parked", "23514", isGuilty("NEW"));
    try (Bus unused = start(true)) {
      publish();
      othersAreHandled();
      assertThat(letter().messageId()).isEqualTo(GUILTY);
    }
  }

  @Test
  void a_message_that_cannot_be_taken_up_is_a_dead_letter_and_the_others_are_handled() {
    poison.refusing(
        "UPDATE", "posthorn_parked", "23514", isGuilty("OLD") + " AND OLD.waiting = 'BEHIND'");
    try (Bus unused = start(true)) {
      publish();
      othersAreHandled();
      assertThat(letter().messageId()).isEqualTo(GUILTY);
      assertThat(letter().error()).contains("23514");
    }
  }

  @Test
  void a_message_that_cannot_be_written_at_all_is_logged_as_an_error() {
    poison
        .refusing("INSERT", "posthorn_parked", "23514", isGuilty("NEW"))
        .refusing("INSERT", "posthorn_dead", "23514", isGuilty("NEW"));
    try (Bus unused = start(false)) {
      publish();
      await()
          .untilAsserted(
              () ->
                  assertThat(events)
                      .filteredOn(Event.SubscriptionFailed.class::isInstance)
                      .extracting(e -> ((Event.SubscriptionFailed) e).reason().code())
                      .isEqualTo(List.of(Reason.STORE_REFUSED)));
    }
  }
}

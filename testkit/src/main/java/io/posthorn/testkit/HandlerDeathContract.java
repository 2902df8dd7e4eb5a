package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.UnknownTypes;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dead letters of consumers: how they are reported, and what becomes of them. */
public abstract class HandlerDeathContract extends BusTopic {
  private static final Actor SOMEBODY = new Actor("somebody", "a test");

  private List<String> deathsTold(String consumer) {
    return events.stream()
        .filter(event -> event instanceof Event.Dead && event.destination().equals(consumer))
        .map(event -> ((Event.Dead) event).code())
        .sorted()
        .toList();
  }

  /**
   * One message for each way to die before a handler is called, and one that its handler rejects.
   */
  private static List<Message> doomed() {
    Message fine = changed("a", 1);
    UUID ofOldDays = new UUID(0x7000, Long.MIN_VALUE);
    return List.of(
        fine,
        fine.withPayload("a:2".getBytes(UTF_8)),
        Unreadable.message(
            UUID.randomUUID(),
            new byte[] {0},
            Map.of(),
            Instant.now(),
            Reason.of(Reason.VALIDATION_ERROR, "no type")),
        Message.of("Changed").id(ofOldDays).json("old:1".getBytes(UTF_8)).build(),
        Message.of("Unknown").build(),
        changed("rejected", 1),
        fine);
  }

  @Test
  void every_dead_letter_is_reported_to_the_observer() {
    Bus bus = bus();
    for (Mode mode : Mode.values()) {
      bus.subscribe(
              "in-mode-" + mode,
              Changed.class,
              (changed, handling) -> {
                if (changed.key().equals("rejected")) {
                  throw new RejectedException("NOT_WANTED", "a test");
                }
              })
          .mode(mode)
          .unknownTypes(UnknownTypes.DEAD);
    }
    source.publish(doomed().toArray(Message[]::new));
    bus.start();
    for (Mode mode : Mode.values()) {
      String consumer = "in-mode-" + mode;
      eventually(
          () ->
              assertThat(deathsTold(consumer))
                  .containsExactly(
                      Reason.ID_REUSED,
                      "NOT_WANTED",
                      Reason.OUT_OF_HORIZON,
                      Reason.UNKNOWN_TYPE,
                      Reason.VALIDATION_ERROR));
      assertThat(db().dead(consumer)).hasSize(5);
    }
  }

  /** Waits until there is one. */
  private UUID onlyLetter() {
    eventually(() -> assertThat(db().dead(BOOKS)).hasSize(1));
    return db().dead(BOOKS).get(0).id();
  }

  private DeadLetter.@Nullable Outcome outcomeOf(UUID letter) {
    return db().operator().letter(letter).orElseThrow().letter().outcome();
  }

  @Test
  void a_requeued_letter_that_is_stale_is_marked_as_skipped() {
    AtomicBoolean broken = new AtomicBoolean(true);
    Bus bus = bus();
    books(
            bus,
            (changed, handling) -> {
              if (changed.n() == 1 && broken.get()) {
                throw new RejectedException("NOT_YET", "a test");
              }
              writing().handle(changed, handling);
            })
        .latestWins();
    source.publish(changed("a", 1).withSequence(1), changed("a", 2).withSequence(2));
    bus.start();
    awaitEffects(Map.of("a", List.of(2L)));
    UUID letter = onlyLetter();
    broken.set(false);
    db().operator().requeue(List.of(letter), Requeue.SAME, SOMEBODY);
    eventually(() -> assertThat(outcomeOf(letter)).isEqualTo(DeadLetter.Outcome.SKIPPED_STALE));
    assertThat(effects().byKey(BOOKS)).isEqualTo(Map.of("a", List.of(2L)));
  }

  @Test
  void a_requeued_letter_whose_id_another_message_has_used_dies_again() throws SQLException {
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          if (changed.n() == 1) {
            throw new RejectedException("NOT_WANTED", "a test");
          }
          writing().handle(changed, handling);
        });
    Message first = changed("a", 1);
    source.publish(first);
    bus.start();
    UUID letter = onlyLetter();
    // Somebody corrected and handled it by hand; now the letter itself is requeued.
    Received corrected =
        new Received(MemorySource.SENDER, first.withPayload("a:2".getBytes(UTF_8)));
    inTransaction(tx -> db().inbox().handle(tx, new Consumer(BOOKS, false), List.of(corrected)));
    db().operator()
        .requeue(List.of(letter), Requeue.SAME.withPayload("a:3".getBytes(UTF_8)), SOMEBODY);
    eventually(() -> assertThat(outcomeOf(letter)).isEqualTo(DeadLetter.Outcome.DEAD));
    assertThat(deathsTold(BOOKS)).containsExactly(Reason.ID_REUSED, "NOT_WANTED");
  }
}

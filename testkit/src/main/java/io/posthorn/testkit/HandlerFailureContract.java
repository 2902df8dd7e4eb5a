package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Source;
import io.posthorn.core.source.Unreadable;
import io.posthorn.core.store.AfterDead;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that fail, messages that nobody can handle, consumers that are paused. */
public abstract class HandlerFailureContract extends BusTopic {
  /** A constraint of the application that the database checks at the commit. */
  private static final String REFUSING_K2 =
      """
      CREATE FUNCTION refuse_k2() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'k2 is not wanted' USING ERRCODE = 'BR001';
      END $$;
      CREATE CONSTRAINT TRIGGER refuse_k2
        AFTER INSERT ON effect
        DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.name = 'k2')
        EXECUTE FUNCTION refuse_k2();
      """;

  private EventHandler<Changed> failing(String key, long n, AtomicBoolean broken) {
    return (changed, handling) -> {
      writing().handle(changed, handling);
      if (broken.get() && changed.key().equals(key) && changed.n() == n) {
        throw new IllegalStateException("broken");
      }
    };
  }

  @Test
  void a_message_that_fails_delays_its_own_key_and_nothing_else() {
    AtomicBoolean broken = new AtomicBoolean(true);
    Bus bus = bus();
    books(bus, failing("k1", 2, broken)).retry(RelayTopic.QUICK.attempts(100));
    source.publishRepeating(changes(5, 10));
    bus.start();
    awaitAcknowledged();
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(41));
    assertThat(effects().of(BOOKS, "k1")).containsExactly(1L);
    assertThat(db().parked(BOOKS)).hasSize(9);
    broken.set(false);
    awaitEffects(effectsOf(5, 10));
    eventually(() -> assertThat(db().parked(BOOKS)).isEmpty());
  }

  @Test
  void a_message_that_fails_in_a_durable_subscription_delays_its_own_key_and_nothing_else() {
    AtomicBoolean broken = new AtomicBoolean(true);
    Bus bus = bus();
    books(bus, failing("k1", 2, broken)).retry(RelayTopic.QUICK.attempts(100)).mode(Mode.DURABLE);
    source.publishRepeating(changes(5, 10));
    bus.start();
    awaitAcknowledged();
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(41));
    broken.set(false);
    awaitEffects(effectsOf(5, 10));
  }

  @Test
  void a_message_out_of_attempts_is_a_dead_letter_and_its_key_goes_on() {
    Bus bus = bus();
    books(bus, failing("k0", 1, new AtomicBoolean(true)));
    source.publish(changes(1, 3).toArray(Message[]::new));
    bus.start();
    awaitEffects(Map.of("k0", List.of(2L, 3L)));
    eventually(
        () ->
            assertThat(db().dead(BOOKS))
                .singleElement()
                .satisfies(
                    dead -> {
                      assertThat(dead.reason()).isEqualTo(Reason.RETRY_EXHAUSTED);
                      assertThat(dead.content()).isEqualTo("k0:1");
                      assertThat(dead.error()).contains("broken");
                    }));
  }

  @Test
  void a_message_with_a_single_attempt_is_dead_after_its_tries_in_place() {
    AtomicInteger calls = new AtomicInteger();
    Bus bus = bus();
    books(
            bus,
            (changed, handling) -> {
              calls.incrementAndGet();
              throw new IllegalStateException("broken");
            })
        .retry(RetryPolicy.DEFAULT.attempts(1))
        .tries(4);
    source.publish(changed("a", 1));
    bus.start();
    awaitAcknowledged();
    assertThat(db().dead(BOOKS)).hasSize(1);
    assertThat(calls).hasValue(4);
  }

  @Test
  void a_rejected_message_is_dead_at_once_and_its_key_is_held_if_the_consumer_says_so() {
    AtomicInteger calls = new AtomicInteger();
    Bus bus = bus();
    books(
            bus,
            (changed, handling) -> {
              if (changed.n() == 2) {
                calls.incrementAndGet();
                throw new RejectedException("ORDER_CANCELLED", "too late");
              }
              writing().handle(changed, handling);
            })
        .afterDead(AfterDead.HOLD);
    source.publish(changes(2, 3).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    // Once in a batch, once alone.
    assertThat(calls.get()).isBetween(2, 4);
    assertThat(effects().byKey(BOOKS)).isEqualTo(Map.of("k0", List.of(1L), "k1", List.of(1L)));
    assertThat(db().dead(BOOKS))
        .hasSize(2)
        .allMatch(dead -> dead.reason().equals("ORDER_CANCELLED"));
    assertThat(db().parked(BOOKS)).hasSize(2);
  }

  @Test
  void a_payload_that_cannot_be_read_is_dead_at_once() {
    Bus bus = bus();
    books(bus, writing());
    source.publish(
        Message.of("Changed").json("nonsense".getBytes(UTF_8)).build(),
        Message.of("Changed").json("null".getBytes(UTF_8)).build(),
        Message.of("Changed").json(new byte[0]).build(),
        changed("a", 1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(db().dead(BOOKS))
        .hasSize(3)
        .allMatch(dead -> dead.reason().equals(Reason.SCHEMA_MISMATCH));
  }

  @Test
  void an_invalid_message_is_dead_without_a_call_of_its_handler() {
    Bus bus = bus();
    books(bus, writing());
    source.publish(
        Unreadable.message(
            UUID.randomUUID(),
            new byte[] {0, 1},
            Map.of(),
            Instant.now(),
            Reason.of(Reason.VALIDATION_ERROR, "no type")),
        Message.of("Changed")
            .key("Thing", "a\u0000b")
            .header("x", "\ud800")
            .json("a:1".getBytes(UTF_8))
            .build(),
        Message.of("Changed").key("Thing", "k".repeat(9_000)).json("a:1".getBytes(UTF_8)).build(),
        Message.of("Changed").occurredAt(Instant.MAX).json("a:1".getBytes(UTF_8)).build(),
        Message.of("Changed").notBefore(Instant.MIN).json("a:1".getBytes(UTF_8)).build(),
        changed("a", 1));
    bus.start();
    awaitAcknowledged();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(db().dead(BOOKS))
        .hasSize(5)
        .allMatch(dead -> dead.reason().equals(Reason.VALIDATION_ERROR));
  }

  @Test
  void an_error_in_a_handler_does_not_stop_the_subscription() {
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          if (changed.key().equals("stack")) {
            endless(0);
          } else if (changed.key().equals("memory")) {
            throw new OutOfMemoryError("as if");
          } else if (changed.key().equals("interrupt")) {
            Thread.currentThread().interrupt();
            throw new InterruptedException();
          } else if (changed.key().equals("circle")) {
            throw circle();
          } else if (changed.key().equals("mute")) {
            throw new Mute();
          }
          writing().handle(changed, handling);
        });
    source.publish(changed("stack", 1), changed("memory", 1), changed("interrupt", 1));
    source.publish(changed("circle", 1), changed("mute", 1));
    source.publish(changes(3, 5).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    awaitEffects(effectsOf(3, 5));
    eventually(() -> assertThat(db().dead(BOOKS)).hasSize(5));
  }

  /** An exception whose cause is caused by itself. */
  private static Exception circle() {
    Exception first = new Exception("first");
    first.initCause(new Exception("second", first));
    return first;
  }

  /** An exception that throws when it is asked for its message. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("there is no message");
    }
  }

  private static long endless(long depth) {
    return depth > Long.MAX_VALUE - 1 ? depth : endless(depth + 1) + 1;
  }

  @Test
  void a_large_payload_is_handled() {
    AtomicInteger length = new AtomicInteger();
    Bus bus = bus();
    bus.subscribe(BOOKS).on("Other", (message, h) -> length.set(message.payload().length));
    source.publish(Message.of("Other").json(new byte[20 << 20]).build());
    bus.start();
    awaitAcknowledged();
    assertThat(length).hasValue(20 << 20);
  }

  @Test
  void a_failure_that_shows_only_at_the_commit_is_a_failure_of_its_message_alone() {
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          writing().handle(changed, handling);
          if (changed.key().equals("k2")) {
            // The handler swallows the error, and the transaction is aborted.
            try (var statement = handling.connection().createStatement()) {
              statement.execute("SELECT 1/0");
            } catch (SQLException e) {
              assertThat(e.getSQLState()).isEqualTo("22012");
            }
          }
        });
    source.publish(changes(5, 1).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    eventually(
        () ->
            assertThat(db().dead(BOOKS))
                .extracting(TestDatabase.Dead::content)
                .containsExactly("k2:1"));
    assertThat(effects().byKey(BOOKS).keySet()).containsExactly("k0", "k1", "k3", "k4");
  }

  @Test
  void a_commit_refused_with_an_unknown_code_is_a_failure_of_its_message_alone()
      throws SQLException {
    execute(REFUSING_K2);
    try {
      Bus bus = bus();
      books(bus, writing());
      source.publish(changes(5, 1).toArray(Message[]::new));
      bus.start();
      awaitAcknowledged();
      eventually(
          () ->
              assertThat(db().dead(BOOKS))
                  .extracting(TestDatabase.Dead::content)
                  .containsExactly("k2:1"));
      assertThat(db().dead(BOOKS).get(0).error()).contains("k2 is not wanted");
      assertThat(effects().byKey(BOOKS).keySet()).containsExactly("k0", "k1", "k3", "k4");
    } finally {
      execute("DROP FUNCTION refuse_k2() CASCADE");
    }
  }

  private void execute(String sql) throws SQLException {
    inTransaction(
        tx -> {
          try (Statement statement = tx.createStatement()) {
            statement.execute(sql);
          }
        });
  }

  @Test
  void a_paused_consumer_keeps_its_messages_and_goes_on_when_it_is_resumed() {
    Bus bus = bus();
    books(bus, writing());
    source.publish(changed("a", 1));
    bus.start();
    awaitAcknowledged();
    db().pause(BOOKS, true);
    source.publish(changed("a", 2), changed("b", 1));
    eventually(() -> assertThat(source.polled(BOOKS)).isEqualTo(3));
    assertThat(effects().count(BOOKS)).isEqualTo(1);
    assertThat(source.unacknowledged(BOOKS)).isEqualTo(2);
    db().pause(BOOKS, false);
    awaitEffects(Map.of("a", List.of(1L, 2L), "b", List.of(1L)));
    awaitAcknowledged();
  }

  @Test
  void an_observer_that_throws_changes_nothing() {
    Bus bus =
        bus(
            db().dataSource(),
            builder ->
                builder
                    .source(source)
                    .observer(
                        event -> {
                          events.add(event);
                          if (event instanceof Event.Handled) {
                            throw new NoClassDefFoundError("as if");
                          }
                          throw new IllegalStateException("as if");
                        }));
    books(bus, failing("k1", 2, new AtomicBoolean(true)));
    source.publish(changes(3, 4).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(11));
    assertThat(source.polled(BOOKS)).isEqualTo(12);
    assertThat(events)
        .noneMatch(
            event -> event instanceof Event.SubscriptionFailed || event instanceof Event.Repeated);
  }

  @Test
  void a_failure_whose_classifier_rule_throws_is_retried() {
    Bus bus = bus();
    books(bus, failing("k1", 2, new AtomicBoolean(true)))
        .classifier(
            Classifier.DEFAULT.when(
                IllegalStateException.class,
                e -> {
                  throw new NoClassDefFoundError("as if");
                }));
    source.publish(changes(3, 4).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    eventually(
        () ->
            assertThat(db().dead(BOOKS))
                .singleElement()
                .satisfies(
                    dead -> {
                      assertThat(dead.lastReason()).isEqualTo("IllegalStateException");
                      assertThat(dead.error()).contains("broken");
                    }));
    eventually(() -> assertThat(effects().count(BOOKS)).isEqualTo(11));
    assertThat(source.polled(BOOKS)).isEqualTo(12);
  }

  @Test
  void a_subscription_thread_that_fails_starts_again() {
    AtomicInteger opened = new AtomicInteger();
    Source shaky =
        new Source() {
          @Override
          public String name() {
            return "shaky";
          }

          @Override
          public Feed open(String consumer) {
            if (opened.incrementAndGet() < 3) {
              throw new NoClassDefFoundError("as if");
            }
            return source.open(consumer);
          }

          @Override
          public List<Finding> check(String consumer) {
            return List.of();
          }
        };
    Bus bus = bus(db().dataSource(), builder -> builder.source(shaky));
    books(bus, writing());
    source.publish(changed("a", 1));
    bus.start();
    awaitAcknowledged();
    assertThat(events.stream().filter(event -> event instanceof Event.SubscriptionFailed))
        .hasSize(2);
  }

  @Test
  void an_idempotent_subscription_keeps_no_receipts_and_keeps_the_order_of_waiting_keys() {
    AtomicBoolean broken = new AtomicBoolean(true);
    List<Integer> attempts = new ArrayList<>();
    Bus bus = bus();
    books(
            bus,
            (changed, handling) -> {
              if (changed.n() == 1) {
                attempts.add(handling.attempt());
              }
              failing("k0", 1, broken).handle(changed, handling);
            })
        .retry(RelayTopic.QUICK.attempts(100))
        .idempotent();
    source.publish(changes(1, 3).toArray(Message[]::new));
    bus.start();
    awaitAcknowledged();
    assertThat(db().parked(BOOKS)).hasSize(3);
    broken.set(false);
    awaitEffects(effectsOf(1, 3));
    assertThat(attempts.get(0)).isEqualTo(1);
    assertThat(attempts.get(attempts.size() - 1)).isGreaterThan(1);
  }
}

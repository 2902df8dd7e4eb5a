package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Handlers that end the transaction in ways that their connection cannot refuse. */
public abstract class HandlerTransactionContract extends BusTopic {
  private static final String CULPRIT = "k2";

  /** What a handler may do to its transaction, bypassing the connection it was given. */
  private interface Ending {
    void end(Connection tx) throws SQLException;
  }

  private static void execute(Connection tx, String sql) throws SQLException {
    try (Statement statement = tx.createStatement()) {
      statement.execute(sql);
    }
  }

  private static final Map<String, Ending> ENDINGS =
      new TreeMap<>(
          Map.of(
              "commit-statement", tx -> execute(tx, "COMMIT"),
              "commit-below", tx -> tx.unwrap(Connection.class).commit(),
              "chained-commit", tx -> execute(tx, "COMMIT AND CHAIN"),
              "rollback-statement", tx -> execute(tx, "ROLLBACK"),
              "rollback-below", tx -> tx.unwrap(Connection.class).rollback()));

  /** One handler writes, ends the transaction, perhaps hides the error, and writes again. */
  private Subscription books(Bus bus, String consumer, Ending ending, boolean hides) {
    return bus.subscribe(
            consumer,
            Changed.class,
            (changed, handling) -> {
              Connection tx = handling.connection();
              effects().add(tx, consumer, changed.key(), changed.n());
              if (changed.key().equals(CULPRIT)) {
                try {
                  ending.end(tx);
                } catch (SQLException e) {
                  if (!hides) {
                    throw e;
                  }
                }
                effects().add(tx, consumer, "after " + changed.key(), changed.n());
              } else if (changed.key().equals("k4") && handling.attempt() < 2) {
                throw new IllegalStateException("fails once, so that its batch is rolled back");
              }
            })
        .retry(RelayTopic.QUICK);
  }

  private void assertOnlyTheCulpritFails(String consumer) {
    eventually(
        () ->
            assertThat(db().dead(consumer))
                .singleElement()
                .satisfies(
                    dead -> {
                      assertThat(dead.content()).isEqualTo(CULPRIT + ":1");
                      assertThat(dead.error()).contains("POSTHORN-020");
                    }));
    Map<String, List<Long>> expected = new TreeMap<>(effectsOf(6, 1));
    expected.remove(CULPRIT);
    eventually(() -> assertThat(effects().byKey(consumer)).isEqualTo(expected));
    assertThat(effects().count(consumer)).isEqualTo(5);
  }

  @Test
  void a_handler_that_ends_its_transaction_in_spite_of_the_guard_fails_alone() {
    List<String> consumers = new ArrayList<>();
    Bus bus = bus();
    for (boolean hides : new boolean[] {true, false}) {
      ENDINGS.forEach(
          (name, ending) -> {
            String consumer = name + (hides ? "-hidden" : "");
            consumers.add(consumer);
            books(bus, consumer, ending, hides);
          });
    }
    source.publish(changes(6, 1).toArray(Message[]::new));
    bus.start();
    consumers.forEach(this::assertOnlyTheCulpritFails);
  }

  @Test
  void a_handler_of_the_log_or_without_receipts_that_ends_its_transaction_fails_alone()
      throws SQLException {
    Bus bus = inProcessBus();
    ENDINGS.forEach(
        (name, ending) -> {
          books(bus, name, ending, true).batch(10);
          books(bus, name + "-idempotent", ending, true).batch(10).idempotent();
        });
    bus.start();
    inTransaction(tx -> Outbox.on(store(), TYPES).build().add(tx, changes(6, 1)));
    for (String name : ENDINGS.keySet()) {
      assertOnlyTheCulpritFails(name);
      assertOnlyTheCulpritFails(name + "-idempotent");
    }
  }

  @Test
  void a_statement_returns_only_the_guarded_connection() {
    List<Connection> found = new ArrayList<>();
    List<Connection> given = new ArrayList<>();
    Bus bus = bus();
    books(
        bus,
        (changed, handling) -> {
          Connection tx = handling.connection();
          try (Statement plain = tx.createStatement();
              Statement prepared = tx.prepareStatement("SELECT 1");
              Statement call = tx.prepareCall("SELECT 1")) {
            found.addAll(
                List.of(plain.getConnection(), prepared.getConnection(), call.getConnection()));
            given.add(tx);
          }
          writing().handle(changed, handling);
        });
    source.publish(changed("a", 1));
    bus.start();
    awaitEffects(Map.of("a", List.of(1L)));
    assertThat(found).hasSize(3).allMatch(connection -> connection == given.get(0));
  }
}

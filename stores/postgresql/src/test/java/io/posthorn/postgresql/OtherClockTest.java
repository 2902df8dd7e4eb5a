package io.posthorn.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestDatabase;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FakeClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The clocks of the sender's database, the receiver's database and the programs differ. The
 * sender's clock decides about scheduled times and ages, the receiver's clock about how far
 * receipts reach.
 */
class OtherClockTest {
  private static final Consumer STOCK = new Consumer("stock", false);
  private static final Duration AGE = Duration.ofMinutes(10);

  /** The receiver accepts times in ids up to two days ahead. */
  private static final Duration AHEAD = Duration.ofHours(44);

  private static final String ADD =
      """
      SELECT posthorn_add('Tested', convert_to('%s', 'UTF8'), 'Thing', 'k-%1$s', not_before => %s)
      """;

  private final FakeClock clock = FakeClock.shifted(AHEAD);
  private final EmbeddedPostgres postgres = EmbeddedPostgres.builder().clock(clock).start();
  private final PostgresqlDatabase sender = sender();
  private final PostgresqlDatabase receiver = TestServer.newest().database();
  private final FakeConnector shop = FakeConnector.acking();

  private PostgresqlDatabase sender() {
    new Migrations(Tables.DEFAULT).migrate(postgres.dataSource());
    return new PostgresqlDatabase(postgres.jdbcUrl(), Tables.DEFAULT);
  }

  @AfterEach
  void close() {
    sender.discard();
    receiver.close();
    postgres.close();
    clock.close();
  }

  /** Adds by SQL, so the sender's database creates the id. */
  private void add(String content, String notBefore) {
    sender.query(ADD.formatted(content, notBefore), row -> row.getObject(1, UUID.class));
  }

  private void awaitSent(String... contents) {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThat(shop.acknowledged())
                    .extracting(TestMessages::content)
                    .containsExactlyInAnyOrder(contents));
  }

  @Test
  void messages_fall_due_and_expire_by_the_clock_of_their_own_database() {
    try (Relay relay =
        Relay.on(sender.store(), "tests", "test")
            .destination(Destination.named("shop", shop).allTypes().notAfter(AGE).build())
            .build()
            .start()) {
      add("now", "NULL");
      add("due", "clock_timestamp() - interval '1 second'");
      add("later", "clock_timestamp() + interval '1 hour'");
      awaitSent("now", "due");
      await().until(() -> sender.parked("shop").size() == 1);
      clock.shift(AHEAD.plusHours(1).plusMinutes(1));
      awaitSent("now", "due", "later");

      sender.pause("shop", true);
      add("old", "NULL");
      clock.shift(AHEAD.plusHours(2));
      sender.pause("shop", false);
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(sender.dead("shop"))
                      .extracting(TestDatabase.Dead::content, TestDatabase.Dead::reason)
                      .containsExactly(tuple("old", Reason.EXPIRED)));
    }
    awaitSent("now", "due", "later");
  }

  @Test
  void receipts_reach_as_far_as_the_receivers_clock_says_and_nothing_is_dropped_for_its_time()
      throws SQLException {
    receiver
        .store()
        .register(
            "tests",
            List.of(new ServedDestination(STOCK.name(), Set.of(), Start.NOW, Direction.IN)));
    assertThat(receivedTwice(AHEAD)).containsExactly(InboxVerdict.NEW, InboxVerdict.DUPLICATE);
    assertThat(receivedTwice(Duration.ofDays(-29)))
        .containsExactly(InboxVerdict.NEW, InboxVerdict.DUPLICATE);
    assertThat(receiver.dead(STOCK.name())).isEmpty();
    // These become dead letters, which a person may let in.
    assertThat(receivedTwice(Duration.ofDays(4)))
        .containsExactly(InboxVerdict.DEAD, InboxVerdict.DUPLICATE);
    assertThat(receivedTwice(Duration.ofDays(-33)))
        .containsExactly(InboxVerdict.DEAD, InboxVerdict.DUPLICATE);
    assertThat(receiver.dead(STOCK.name()))
        .extracting(TestDatabase.Dead::reason)
        .containsExactly(Reason.OUT_OF_HORIZON, Reason.OUT_OF_HORIZON);
  }

  /**
   * Returns what the receiver does with a message written when the sender's clock was shifted this
   * far.
   */
  private List<InboxVerdict> receivedTwice(Duration shift) throws SQLException {
    clock.shift(shift);
    UUID id =
        sender.query(ADD.formatted("one", "NULL"), row -> row.getObject(1, UUID.class)).get(0);
    Message message = Message.of("Tested").id(id).json("one".getBytes(UTF_8)).build();
    return List.of(receive(message), receive(message));
  }

  private InboxVerdict receive(Message message) throws SQLException {
    PostgresqlStore store = PostgresqlStore.on(receiver.dataSource());
    try (Connection tx = receiver.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      InboxVerdict verdict =
          store.receive(tx, STOCK, List.of(new Received("sender", message))).verdicts().get(0);
      tx.commit();
      tx.setAutoCommit(true);
      return verdict;
    }
  }
}

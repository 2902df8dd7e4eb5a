package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transactions that stay open hold up nobody, and lose nothing. */
@Tag("slow")
class OpenTransactionsTest {
  private static final int MANY = 1_000;

  @Test
  void a_thousand_open_transactions_hold_up_nothing_and_all_their_messages_arrive()
      throws SQLException {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().maxConnections(MANY + 100).start()) {
      String database = postgres.freshDatabase();
      DataSource dataSource = postgres.dataSource(database);
      List<Connection> open = new ArrayList<>();
      try (World world = World.at(dataSource, postgres.jdbcUrl(database) + World.TIMEOUTS, 71)) {
        world.start("a");
        world.start("b");
        world.awaitShared(2);
        world.traffic().everything();
        Outbox outbox = Outbox.on(PostgresqlStore.on(dataSource), Traffic.TYPES).build();
        for (int i = 0; i < MANY; i++) {
          Connection tx = dataSource.getConnection();
          open.add(tx);
          tx.setAutoCommit(false);
          outbox.add(tx, message(i, 1));
        }
        world.awaitDelivery(World.ORDERS);
        RelayProcess victim = world.holder(World.ORDERS);
        victim.kill();
        Takeover.from(world, victim).await();
        for (int i = 0; i < MANY; i++) {
          outbox.add(open.get(i), message(i, 2));
          open.get(i).commit();
        }
        world.finish();
      } finally {
        for (Connection connection : open) {
          connection.close();
        }
      }
    }
  }

  private static Message message(int key, int n) {
    return Message.of(Traffic.HOLDING)
        .key("Open", "open-" + key)
        .json(("open-" + key + " " + n).getBytes(UTF_8))
        .build();
  }

  /** A message written into a day that is about to be emptied, by a transaction still open. */
  @Test
  void retention_never_removes_what_a_transaction_that_is_still_open_has_written()
      throws SQLException {
    String database = EmbeddedPostgres.shared().freshDatabase();
    DataSource dataSource = EmbeddedPostgres.shared().dataSource(database);
    try (World world =
            World.at(dataSource, EmbeddedPostgres.shared().jdbcUrl(database) + World.TIMEOUTS, 72);
        Connection open = dataSource.getConnection()) {
      world.start("a").awaitReady();
      world.awaitShared(1);
      PostgresqlStore store = PostgresqlStore.on(dataSource);
      addTenDaysAgo(dataSource.getConnection(), "first");
      awaitDelivered(world, "first");
      open.setAutoCommit(false);
      addTenDaysAgo(open, "second");

      age(world);
      assertNothingEmptied(store);
      open.commit();
      awaitDelivered(world, "second");
      assertNothingEmptied(store);

      age(world);
      addTenDaysAgo(dataSource.getConnection(), "third");
      assertNothingEmptied(store);
      awaitDelivered(world, "third");
      world.eventually("the old leaf to be emptied", () -> emptied(world, store));
    }
  }

  private static void assertNothingEmptied(PostgresqlStore store) {
    BrokenPromise.unless(() -> assertThat(store.purge(Duration.ofDays(7)).emptied()).isEmpty());
  }

  /** By this call, or by the relay's own. */
  private static @Nullable Boolean emptied(World world, PostgresqlStore store) {
    age(world);
    store.purge(Duration.ofDays(7));
    return world.query().number("SELECT count(*) FROM posthorn_log") == 0 ? true : null;
  }

  private static void addTenDaysAgo(Connection tx, String payload) throws SQLException {
    try (var insert =
        tx.prepareStatement(
            """
            INSERT INTO posthorn_log (id, type, payload, recorded_at, slot)
            VALUES (gen_random_uuid(), 'Scheduled', ?, clock_timestamp() - interval '10 days',
                    posthorn_slot(clock_timestamp() - interval '10 days'))
            """)) {
      insert.setBytes(1, payload.getBytes(UTF_8));
      insert.executeUpdate();
    }
    if (tx.getAutoCommit()) {
      tx.close();
    }
  }

  private static void awaitDelivered(World world, String payload) {
    world.eventually(
        payload + " to arrive",
        () ->
            world.journal().deliveries().anyMatch(line -> line.content().equals(payload))
                ? true
                : null);
  }

  /** Two hours pass for the cursors. */
  private static void age(World world) {
    world.query().execute("UPDATE posthorn_progress SET at = at - interval '2 hours'");
  }
}

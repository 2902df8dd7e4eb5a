package io.posthorn.postgresql.lane;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A cursor with transactions that the server has not had would take everything written from now on
 * for settled. It must neither move nor be used.
 */
class AheadCursorTest {
  private static final Actor ANNA = new Actor("anna", "to see what happens");

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final TestLanes lanes = new TestLanes(database);

  @BeforeEach
  void serve() {
    lanes.take("shop");
  }

  @AfterEach
  void discard() {
    database.discard();
  }

  @Test
  void no_destination_is_registered() {
    setAhead(RelayStore.UNROUTED);
    Refused.with(ErrorCode.CURSOR_AHEAD, () -> register("office"));
    assertThat(destinations()).doesNotContain("office");
  }

  @Test
  void no_destination_and_no_route_is_removed_and_the_cursor_of_the_unrouted_stays() {
    setAhead(RelayStore.UNROUTED);
    database.execute("UPDATE posthorn_relay SET expires_at = '-infinity'");
    Steering steering = Steering.on(database.operator());
    Refused.with(ErrorCode.CURSOR_AHEAD, () -> steering.remove("shop", ANNA));
    assertThat(destinations()).contains("shop");
    assertThat(isAhead(RelayStore.UNROUTED)).isTrue();
  }

  @Test
  void retention_removes_nothing_that_only_such_a_cursor_has_passed() {
    setAhead("shop");
    lanes.add(message("unread"));
    database.pass(Duration.ofDays(8));
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    database.store().join(relay, List.of(), Duration.ofHours(1));
    Lane unrouted = database.store().take(relay, RelayStore.UNROUTED, 0).orElseThrow();
    while (database.store().tendUnrouted(unrouted, Duration.ofDays(30))) {}
    database.pass(Duration.ofHours(2));
    database.store().purge(RetentionTimes.DEFAULT.sent());
    assertThat(database.logged()).hasSize(1);
  }

  private void register(String destination) {
    database
        .store()
        .register(
            "tests",
            List.of(new ServedDestination(destination, Set.of(ServedDestination.ALL_TYPES))));
  }

  private List<String> destinations() {
    return database.query("SELECT name FROM posthorn_destination", row -> row.getString(1));
  }

  private boolean isAhead(String destination) {
    return database
        .query(
            """
            SELECT pg_snapshot_xmax(s1)::text::bigint > 800000000
              FROM posthorn_progress
             WHERE destination = '%s'
             ORDER BY n DESC
             LIMIT 1
            """
                .formatted(destination),
            row -> row.getBoolean(1))
        .get(0);
  }

  private void setAhead(String destination) {
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, low1, last_seq, s1)
        SELECT destination, lane, gen_random_uuid(), low1, last_seq, '900000000:900000000:'
          FROM posthorn_progress
         WHERE destination = '%s'
         ORDER BY n DESC
         LIMIT 1
        """
            .formatted(destination));
  }
}

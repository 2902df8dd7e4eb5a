package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A dump is restored on another server, whose transactions are unrelated to those that the rows and
 * the progress refer to.
 */
class DumpRestoreTest {
  /** Enough transactions to make the ids of the two servers clearly different. */
  private static final long MANY = 5_000;

  private static EmbeddedPostgres young;
  private static EmbeddedPostgres old;

  @BeforeAll
  static void start() {
    // The other server has another version, because the test servers of one version are copies with
    // the same identifier.
    young = EmbeddedPostgres.builder().version(17).start();
    old = TestServer.newest().postgres();
  }

  @BeforeEach
  void keepTheirAges() {
    long youth = new RestoredSite(young.dataSource(), "").nextTransaction();
    new RestoredSite(old.dataSource(), "").passTransaction(youth + MANY);
  }

  @AfterAll
  static void stop() {
    young.close();
  }

  private static DataSource migrated(EmbeddedPostgres server) {
    DataSource dataSource = server.dataSource(server.freshDatabase());
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    return dataSource;
  }

  /**
   * Delivered: k:1, k:2, l:1, m:1. Undelivered: l:2 in an open window, s:1 of a transaction that
   * was open when the cursor passed, and k:3 and k:4 after the last claim.
   */
  private static void useOriginal(DataSource dataSource) throws SQLException {
    TestLanes lanes = new TestLanes(dataSource);
    lanes.store().verify("production");
    TestLane lane = lanes.take("shop");
    try (Connection open = dataSource.getConnection()) {
      open.setAutoCommit(false);
      lanes.store().append(open, List.of(keyed("s", "s:1")), List.of(""), false);
      lanes.add(keyed("k", "k:1"), keyed("k", "k:2"));
      assertThat(lane.drain()).containsExactly("k:1", "k:2");
      open.commit();
    }
    lanes.add(keyed("l", "l:1"), keyed("l", "l:2"), keyed("m", "m:1"));
    Batch batch = lane.batch();
    List<Delivery> all = batch.deliveries();
    assertThat(TestLane.contents(all)).containsExactly("s:1", "l:1", "l:2", "m:1");
    // The answers for s:1 and l:2 are still missing.
    lane.settle(lane.partly(List.of(batch), 0, List.of(all.get(1).seq(), all.get(3).seq())));
    lanes.add(keyed("k", "k:3"));
    lanes.add(keyed("k", "k:4"));
  }

  private static void restoresAndDelivers(EmbeddedPostgres from, EmbeddedPostgres to)
      throws SQLException {
    DataSource original = migrated(from);
    useOriginal(original);
    DataSource restored = migrated(to);
    Dump.restore(original, restored);
    try (RestoredSite site = new RestoredSite(restored, "production")) {
      long known = new RestoredSite(original, "production").nextTransaction();
      Refused.with(ErrorCode.ENVIRONMENT_DIFFERS, site::start)
          .hasMessageContaining("posthorn adopt --environment production --as-sent")
          .hasMessageContaining("--send-undelivered")
          .hasMessageContaining("--same-history");
      site.add(keyed("k", "k:5"), keyed("n", "n:1"));

      site.adopt(Adopt.SEND_UNDELIVERED);
      site.add(keyed("k", "k:6"), keyed("s", "s:2"));
      site.start();
      site.awaitSent(8);
      assertThat(site.sent("k")).containsExactly("k:3", "k:4", "k:5", "k:6");
      assertThat(site.sent("l")).containsExactly("l:2");
      assertThat(site.sent("s")).containsExactly("s:1", "s:2");
      assertThat(site.sent("n")).containsExactly("n:1");

      site.passTransaction(known + 100);
      site.add(keyed("k", "k:7"));
      site.awaitSent(10);
      assertThat(site.sent("k")).endsWith("k:6", "k:7").hasSize(5);
      site.stop();
      // Nothing refers to the other server's transactions any more.
      site.start();
      site.add(typed("Other", "one more"));
      site.awaitSent(12);
    }
  }

  @Test
  void restored_where_transaction_ids_are_lower_only_the_undelivered_come() throws SQLException {
    restoresAndDelivers(old, young);
  }

  @Test
  void restored_where_transaction_ids_are_higher_only_the_undelivered_come() throws SQLException {
    restoresAndDelivers(young, old);
  }

  @Test
  void a_dump_is_not_mistaken_for_a_database_whose_transactions_go_on() throws SQLException {
    DataSource original = migrated(old);
    useOriginal(original);
    DataSource restored = migrated(young);
    Dump.restore(original, restored);
    RestoredSite site = new RestoredSite(restored, "production");
    Refused.with(ErrorCode.CURSOR_AHEAD, () -> site.adopt(Adopt.SAME_HISTORY))
        .hasMessageContaining("was not adopted with --same-history");
    // Even if the names happened to match, the cursor would stop the relay.
    Jdbc.execute(
        restored,
        "UPDATE posthorn_meta SET system_identifier = (SELECT system_identifier FROM pg_control_system())");
    TestLanes lanes = new TestLanes(restored);
    lanes.store().verify("production");
    Refused.with(ErrorCode.CURSOR_AHEAD, () -> lanes.take("shop").drain())
        .hasMessageContaining("posthorn adopt");
  }

  @Test
  void a_sequence_that_lags_behind_is_refused_with_the_remedy() throws SQLException {
    DataSource original = migrated(old);
    useOriginal(original);
    DataSource restored = migrated(young);
    Dump.restore(original, restored);
    long value = Jdbc.number(restored, "SELECT last_value FROM posthorn_seq");
    String remedy = "ALTER SEQUENCE public.posthorn_seq RESTART WITH " + (value + 1);
    Jdbc.execute(restored, "SELECT setval('posthorn_seq', 1)");
    try (RestoredSite site = new RestoredSite(restored, "production")) {
      Refused.with(ErrorCode.SEQUENCE_BEHIND, () -> site.adopt(Adopt.SEND_UNDELIVERED))
          .hasMessageContaining(remedy);
      assertThat(Jdbc.number(restored, "SELECT count(*) FROM posthorn_log")).isEqualTo(8);

      Jdbc.execute(restored, remedy);
      site.adopt(Adopt.SEND_UNDELIVERED);
      site.start();
      site.awaitSent(4);
    }
  }

  @Test
  void messages_that_waited_for_a_route_are_not_passed_by_later_ones() throws SQLException {
    DataSource original = migrated(old);
    TestLanes lanes = new TestLanes(original);
    lanes.store().verify("production");
    lanes.add(keyed("k", "k:1"));
    lanes.take("shop");
    lanes.add(keyed("k", "k:2"));
    DataSource restored = migrated(young);
    Dump.restore(original, restored);
    try (RestoredSite site = new RestoredSite(restored, "production")) {
      site.add(keyed("k", "k:3"));
      site.adopt(Adopt.SEND_UNDELIVERED);
      site.add(keyed("k", "k:4"));
      site.start();
      site.awaitSent(4);
      assertThat(site.sent("k")).isEqualTo(Arrays.asList("k:1", "k:2", "k:3", "k:4"));
    }
  }
}

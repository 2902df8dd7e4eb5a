package io.posthorn.postgresql.log;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.testkit.TestLane;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A window is read together with the look at its lane, but only if it really begins at the assumed
 * position.
 */
class SpeculativeClaimTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final List<String> statements = new ArrayList<>();
  private final TestLanes lanes = new TestLanes(recorded(DataSource.class, database.dataSource()));

  @AfterEach
  void close() {
    database.close();
  }

  /** Counts prepared statements: each is one round trip of the store. */
  private <T> T recorded(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            SpeculativeClaimTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                statements.add((String) arguments[0]);
              }
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof Connection connection
                    ? recorded(Connection.class, connection)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private static List<String> contents(Claim claim) {
    Batch batch = TestLane.batch(claim);
    return batch.deliveries().stream()
        .map(Delivery::message)
        .map(SpeculativeClaimTest::content)
        .toList();
  }

  private static String content(Message message) {
    return new String(message.payload(), StandardCharsets.UTF_8);
  }

  /** Claims and settles once, so that the store knows the position of the lane. */
  private TestLane known() {
    TestLane shop = lanes.take("shop");
    lanes.commit("0");
    settleAndClaim(shop, shop.claim(TestLane.ALL));
    return shop;
  }

  private static Claim settleAndClaim(TestLane lane, Claim claim) {
    return lane.settle(
        TestLane.thenClaim(lane.settlement(List.of(TestLane.batch(claim))), TestLane.ALL));
  }

  @Test
  void a_small_window_is_claimed_in_two_round_trips_and_settled_in_two() {
    TestLane shop = known();
    lanes.commit("1");
    statements.clear();
    Claim first = shop.claim(TestLane.ALL);
    assertThat(contents(first)).containsExactly("1");
    assertThat(statements).hasSize(2);
    lanes.commit("2");
    statements.clear();
    Claim second = settleAndClaim(shop, first);
    assertThat(contents(second)).containsExactly("2");
    assertThat(statements).hasSize(2);
    statements.clear();
    assertThat(settleAndClaim(shop, second).batch()).isNull();
    assertThat(statements).hasSize(2);
  }

  @Test
  void stragglers_come_with_it_and_stand_first() throws SQLException {
    TestLane shop = lanes.take("shop");
    try (Connection open = database.dataSource().getConnection()) {
      open.setAutoCommit(false);
      lanes.store().append(open, List.of(message("straggler")), List.of(""), false);
      lanes.commit("0");
      settleAndClaim(shop, shop.claim(TestLane.ALL));
      lanes.commit("1");
      open.commit();
    }
    statements.clear();
    Claim claim = shop.claim(TestLane.ALL);
    assertThat(contents(claim)).containsExactly("straggler", "1");
    assertThat(statements).hasSize(2);
    assertThat(TestLane.batch(claim).start()).isZero();
  }

  @Test
  void what_is_longer_than_an_opening_is_read_to_its_end() {
    TestLane shop = known();
    int messages = 2 * SpeculativeClaim.MESSAGES + 1;
    for (int i = 0; i < messages; i++) {
      lanes.commit("m" + i);
    }
    List<String> all = new ArrayList<>();
    for (Claim claim = shop.claim(TestLane.ALL);
        claim.batch() != null;
        claim = settleAndClaim(shop, claim)) {
      all.addAll(contents(claim));
    }
    assertThat(all).hasSize(messages).doesNotHaveDuplicates();
  }

  /** Another relay held the lane in between, and released it at a later position. */
  @Test
  void a_progress_that_another_has_written_is_begun_at_and_not_the_known_one() {
    TestLane shop = known();
    lanes.commit("1");
    TestLanes others = new TestLanes(database);
    TestLane other = new TestLane(others.store(), shop.lane());
    Claim theirs = other.claim(TestLane.ALL);
    assertThat(contents(theirs)).containsExactly("1");
    other.settle(TestLane.batch(theirs));
    lanes.commit("2");
    assertThat(contents(shop.claim(TestLane.ALL))).containsExactly("2");
  }

  /** The state after a failover to a copy that lacks the last settles. */
  @Test
  void a_progress_from_before_the_known_one_is_begun_at() {
    TestLane shop = known();
    lanes.commit("1");
    Claim claim = shop.claim(TestLane.ALL);
    assertThat(settleAndClaim(shop, claim).batch()).isNull();
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        SELECT destination, lane, gen_random_uuid(), s1, low1, 0
          FROM posthorn_progress
         WHERE destination = 'shop'
         ORDER BY n
         LIMIT 1
        """);
    assertThat(contents(shop.claim(TestLane.ALL))).containsExactly("0", "1");
  }

  /** The state that a retried settlement writes after a failover. */
  @Test
  void the_same_progress_with_another_content_is_begun_at() {
    TestLane shop = known();
    lanes.commit("1");
    assertThat(settleAndClaim(shop, shop.claim(TestLane.ALL)).batch()).isNull();
    database.execute(
        """
        UPDATE posthorn_progress p
           SET s1 = o.s1, low1 = o.low1
          FROM (SELECT s1, low1 FROM posthorn_progress WHERE destination = 'shop' ORDER BY n LIMIT 1) o
         WHERE p.destination = 'shop'
           AND p.id = '%s'
        """
            .formatted(shop.progress()));
    assertThat(contents(shop.claim(TestLane.ALL))).containsExactly("0", "1");
  }

  @Test
  void routes_that_changed_since_are_the_ones_it_is_read_by() {
    TestLane shop = known();
    database.execute("DELETE FROM posthorn_route WHERE destination = 'shop'");
    database.execute("UPDATE posthorn_destination SET routes_id = gen_random_uuid()");
    lanes.commit("1");
    assertThat(shop.claim(TestLane.ALL).batch()).isNull();
  }

  private static String flat(Sql sql) {
    return sql.text().replaceFirst("^/\\*.*?\\*/", "").replaceAll("\\s+", " ").strip();
  }

  @Test
  void its_statements_are_those_of_the_look_and_of_the_pages() {
    String range = flat(LogReader.RANGE);
    String columns = range.substring(0, range.indexOf("FROM posthorn_log l "));
    String conditions =
        range
            .substring(range.indexOf("WHERE l.seq"))
            .replaceFirst("\\(SELECT CAST\\(\\? AS pg_snapshot\\)\\)", "look.now");
    String stragglers =
        flat(LogReader.STRAGGLERS)
            .replace(
                "LIMIT ?) l ORDER BY",
                "LIMIT ?) l WHERE pg_visible_in_snapshot(CAST(finished.tx AS xid8), look.now) ORDER BY");
    assertThat(flat(SpeculativeClaim.RANGE)).contains(flat(LaneRow.LOOK), columns, conditions);
    assertThat(flat(SpeculativeClaim.ALL))
        .contains(flat(LaneRow.LOOK), columns, conditions, stragglers);
  }
}

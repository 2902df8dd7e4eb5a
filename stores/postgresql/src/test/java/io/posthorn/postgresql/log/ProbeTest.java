package io.posthorn.postgresql.log;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.store.Head;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An idle relay polls cheaply, and other work on the server does not wake it. */
class ProbeTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void close() {
    database.close();
  }

  private Connection begin() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private void add(Connection connection) {
    lanes.store().append(connection, List.of(message("1")), List.of(""), false);
  }

  @Test
  void transactions_that_leave_no_message_are_no_news() throws SQLException {
    TestLane shop = lanes.take("shop");
    Head before = shop.state().head();
    try (Connection open = begin()) {
      lanes.store().note(open, UUID.randomUUID());
      Head during = shop.state().head();
      Head probe = lanes.store().head();
      open.commit();
      Head after = lanes.store().head();
      assertThat(after.newsSince(probe)).isFalse();
      assertThat(after.newsSince(during)).isFalse();
      assertThat(after.newsSince(before)).isFalse();
    }
  }

  @Test
  void a_late_commit_is_news_only_to_those_that_looked_before_it() throws SQLException {
    TestLane shop = lanes.take("shop");
    TestLane other = lanes.take("other");
    try (Connection open = begin()) {
      add(open);
      Head before = shop.state().head();
      open.commit();
      Head seen = other.claim(TestLane.ALL).state().head();
      Head probe = lanes.store().head();
      assertThat(probe.newsSince(before)).isTrue();
      assertThat(probe.newsSince(seen)).isFalse();
    }
  }

  @Test
  void a_rolled_back_message_is_news_once() throws SQLException {
    TestLane shop = lanes.take("shop");
    Head before = shop.state().head();
    try (Connection open = begin()) {
      add(open);
      open.rollback();
    }
    Head probe = lanes.store().look(List.of("shop")).head();
    assertThat(probe.newsSince(before)).isTrue();
    assertThat(lanes.store().head().newsSince(shop.state().head())).isFalse();
  }

  @Test
  void free_lanes_are_reported() {
    lanes.take("shop");
    lanes.take("other");
    assertThat(lanes.store().look(List.of("shop", "other")).free()).isEmpty();
    database.execute(
        "UPDATE posthorn_relay SET expires_at = now() WHERE id = (SELECT relay FROM posthorn_lane"
            + " WHERE destination = 'shop')");
    assertThat(lanes.store().look(List.of("shop", "other")).free()).containsExactly("shop");
  }

  @Test
  void looking_again_is_not_planned_again() throws SQLException {
    try (HikariDataSource one = database.poolOf(1)) {
      PostgresqlStore store = PostgresqlStore.on(one);
      for (int i = 0; i < 30; i++) {
        store.head();
        store.look(List.of("shop"));
      }
      try (Connection connection = one.getConnection();
          Statement statement = connection.createStatement();
          ResultSet plans =
              statement.executeQuery(
                  "SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements"
                      + " WHERE statement ~ 'posthorn: (probe|look)'")) {
        assertThat(plans.next()).isTrue();
        // The driver prepares a statement at its fifth use.
        assertThat(plans.getInt(1)).isGreaterThan(40);
        assertThat(plans.getInt(2)).isZero();
      }
    }
  }
}

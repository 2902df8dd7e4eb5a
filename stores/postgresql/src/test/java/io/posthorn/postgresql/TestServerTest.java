package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testkit.TestLane;
import org.junit.jupiter.api.Test;

/** What one test leaves in a database must not reach the next one. */
class TestServerTest {
  @Test
  void a_database_that_had_many_messages_is_as_good_as_new() {
    try (PostgresqlDatabase used = TestServer.newest().database()) {
      used.execute("SELECT setval('posthorn_seq', 1000000)");
    }
    try (PostgresqlDatabase next = TestServer.newest().database()) {
      assertThat(next.query("SELECT last_value FROM posthorn_seq", row -> row.getLong(1)))
          .as("the same database again")
          .containsExactly(1_000_000L);
      TestLanes lanes = new TestLanes(next);
      TestLane shop = lanes.take("shop");
      lanes.commit("1");
      assertThat(shop.drain()).containsExactly("1");
    }
  }
}

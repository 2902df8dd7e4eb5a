package io.posthorn.postgresql.schema;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log's sequence gets a cache while relays are running. */
class CachedSequenceTest {
  private PostgresqlDatabase database;
  private TestLanes lanes;

  @AfterEach
  void discard() {
    database.discard();
  }

  private void on(int version) {
    database = TestServer.ofVersion(version).databaseOfItsOwn();
    lanes = new TestLanes(database);
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void nothing_is_read_until_the_sequence_is_fixed_and_nothing_is_lost(int version)
      throws Exception {
    on(version);
    TestLane shop = lanes.take("shop");
    lanes.commit("1");
    assertThat(shop.drain()).containsExactly("1");
    try (Connection one = database.dataSource().getConnection();
        Connection other = database.dataSource().getConnection()) {
      cache(20);
      add(one, "2");
      add(other, "3");
      Refused.with(ErrorCode.SEQUENCE_CACHED, shop::drain).hasMessageContaining("CACHE 20");
      // This session drew the number of 4 before the other one drew that of 3.
      add(one, "4");
      cache(1);
      // The server makes sessions drop their cached numbers; otherwise 5 would sort before 3.
      add(one, "5");
      assertThat(shop.drain()).containsExactly("2", "4", "3", "5");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void what_was_sent_is_settled_all_the_same(int version) {
    on(version);
    TestLane shop = lanes.take("shop");
    lanes.commit("1");
    Batch batch = shop.batch();
    cache(20);
    lanes.commit("2");
    assertThat(shop.settle(TestLane.thenClaim(shop.settlement(List.of(batch)), TestLane.ALL)))
        .matches(claim -> claim.batch() == null);
    Refused.with(ErrorCode.SEQUENCE_CACHED, shop::drain);
    cache(1);
    assertThat(shop.drain()).containsExactly("2");
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void nobody_looks_for_messages_without_a_route(int version) {
    on(version);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    lanes.store().join(relay, List.of(), Duration.ofHours(1));
    Lane unrouted = lanes.store().take(relay, RelayStore.UNROUTED, 0).orElseThrow();
    cache(20);
    lanes.commit("1");
    Refused.with(
        ErrorCode.SEQUENCE_CACHED, () -> lanes.store().tendUnrouted(unrouted, Duration.ofHours(1)));
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void no_cursor_begins(int version) {
    on(version);
    cache(20);
    Refused.with(ErrorCode.SEQUENCE_CACHED, () -> lanes.take("shop"))
        .hasMessageContaining("were not registered");
    Refused.with(
            ErrorCode.SEQUENCE_CACHED,
            () ->
                Restore.on(lanes.store())
                    .adopt("test", Adopt.SEND_UNDELIVERED, new Actor("anna", "a test")))
        .hasMessageContaining("was not adopted");
  }

  private void cache(int size) {
    database.execute("ALTER SEQUENCE posthorn_seq CACHE " + size);
  }

  private void add(Connection connection, String content) throws SQLException {
    connection.setAutoCommit(false);
    lanes.store().append(connection, List.of(message(content)), List.of(""), false);
    connection.commit();
  }
}

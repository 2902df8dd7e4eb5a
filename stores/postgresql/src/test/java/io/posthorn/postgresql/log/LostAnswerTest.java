package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.outbox.Transactions;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.Settlement;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.Cut;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import io.posthorn.testservers.StreamMatcher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The connection breaks during COMMIT, and the result is unknown. */
class LostAnswerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final StreamMatcher COMMIT = StreamMatcher.token("commit");

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final FaultProxy proxy = FaultProxy.to(TestServer.newest().postgres().port());
  private final PGSimpleDataSource proxied = new PGSimpleDataSource();
  private final TestLanes lanes;

  LostAnswerTest() {
    proxied.setUrl(EmbeddedPostgres.jdbcUrl(proxy.port(), database.name()) + "&prepareThreshold=0");
    this.lanes = new TestLanes(proxied);
  }

  @AfterEach
  void close() {
    proxy.close();
    database.close();
  }

  @Test
  void a_settle_that_was_committed_is_recognised_when_it_is_repeated() {
    TestLane shop = lanes.take("shop");
    lanes.commit("1", "2", "3");
    Batch batch = shop.batch(TestLane.atMost(2));
    Settlement settlement = TestLane.thenClaim(shop.settlement(List.of(batch)), TestLane.ALL);
    Cut cut = proxy.cutBeforeReply(COMMIT);
    Refused.with(ErrorCode.STORE_FAILED, () -> shop.settle(settlement));
    cut.awaitSettled(PATIENCE);
    proxy.pass();
    Claim again = shop.settle(settlement);
    assertThat(again.state().progress()).isEqualTo(settlement.next());
    assertThat(shop.drain()).containsExactly("3");
  }

  @Test
  void a_settle_that_was_not_committed_is_done_when_it_is_repeated() {
    TestLane shop = lanes.take("shop");
    lanes.commit("1", "2", "3");
    Batch batch = shop.batch(TestLane.atMost(2));
    Settlement settlement = shop.settlement(List.of(batch));
    Cut cut = proxy.cutBeforeForward(COMMIT);
    Refused.with(ErrorCode.STORE_FAILED, () -> shop.settle(settlement));
    cut.awaitSettled(PATIENCE);
    proxy.pass();
    shop.settle(settlement);
    assertThat(shop.drain()).containsExactly("3");
  }

  @Test
  void a_claim_whose_answer_was_lost_is_claimed_again() {
    TestLane shop = lanes.take("shop");
    lanes.commit("1");
    Cut cut = proxy.cutBeforeReply(COMMIT);
    assertThatThrownBy(shop::drain).hasMessageContaining("claiming lane shop#0 failed");
    cut.awaitSettled(PATIENCE);
    proxy.pass();
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void a_noted_transaction_happens_once_although_its_answer_was_lost() {
    TestLane shop = lanes.take("shop");
    Transactions transactions = Transactions.on(lanes.store());
    Cut cut = proxy.cutBeforeReply(COMMIT);
    int[] runs = new int[1];
    boolean done =
        transactions.retrying(
            proxied,
            UUID.randomUUID(),
            tx -> {
              if (runs[0]++ == 1) {
                throw new AssertionError("it had happened already");
              }
              lanes.store().append(tx, List.of(TestMessages.message("1")), List.of(""), false);
            });
    cut.awaitSettled(PATIENCE);
    assertThat(done).isFalse();
    assertThat(shop.drain()).containsExactly("1");
  }

  /** The server has aborted the transaction, and COMMIT would roll back silently. */
  @Test
  void a_transaction_that_swallowed_an_error_does_not_count_as_committed() {
    UUID id = UUID.randomUUID();
    Transactions transactions = Transactions.on(PostgresqlStore.on(database.dataSource()));
    Refused.with(
        ErrorCode.TRANSACTION_FAILED,
        () ->
            transactions.retrying(
                database.dataSource(),
                id,
                tx -> {
                  try (var statement = tx.createStatement()) {
                    statement.execute("SELECT 1 / 0");
                  } catch (SQLException swallowed) {
                    assertThat(swallowed.getSQLState()).isEqualTo("22012");
                  }
                }));
    assertThat(transactions.retrying(database.dataSource(), id, tx -> {})).isTrue();
  }

  @Test
  void a_transaction_ended_by_its_own_work_does_not_count_as_committed() {
    Transactions transactions = Transactions.on(PostgresqlStore.on(database.dataSource()));
    Refused.with(
        ErrorCode.TRANSACTION_ENDED,
        () -> transactions.retrying(database.dataSource(), UUID.randomUUID(), tx -> tx.rollback()));
  }
}

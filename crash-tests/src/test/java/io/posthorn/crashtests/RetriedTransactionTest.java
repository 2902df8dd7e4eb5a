package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.outbox.Transactions;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.Cut;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import io.posthorn.testservers.StreamMatcher;
import java.util.UUID;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The answer to a producer's COMMIT is lost, and it does everything again. */
class RetriedTransactionTest {
  private static final int TIMES = 5;

  @Test
  void a_transaction_whose_commit_was_not_carried_out_is_done_once_when_retried() {
    BrokenPromise.unless(
        () -> assertThat(enqueuedWhenCut(FaultProxy::cutBeforeForward)).isEqualTo(TIMES));
  }

  @Test
  void a_transaction_whose_commit_was_carried_out_is_not_done_again_when_retried() {
    BrokenPromise.unless(
        () -> assertThat(enqueuedWhenCut(FaultProxy::cutBeforeReply)).isEqualTo(TIMES));
  }

  private static long enqueuedWhenCut(BiFunction<FaultProxy, StreamMatcher, Cut> how) {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    DataSource direct = postgres.dataSource(database);
    new Migrations(Tables.DEFAULT).migrate(direct);
    try (FaultProxy proxy = FaultProxy.to(postgres.port())) {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(EmbeddedPostgres.jdbcUrl(proxy.port(), database) + "&prepareThreshold=0");
      for (int i = 0; i < TIMES; i++) {
        Cut cut = how.apply(proxy, Moment.commit());
        enqueue(source);
        assertThat(cut.hasFired()).isTrue();
      }
    }
    return new Query(direct).number("SELECT count(*) FROM posthorn_log");
  }

  private static void enqueue(DataSource source) {
    PostgresqlStore store = PostgresqlStore.on(source);
    Outbox outbox = Outbox.on(store, Traffic.TYPES).build();
    Message message = Message.of(Traffic.UNWANTED).json("{}".getBytes(UTF_8)).build();
    Transactions.on(store).retrying(source, UUID.randomUUID(), tx -> outbox.add(tx, message));
  }
}

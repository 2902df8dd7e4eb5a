package io.posthorn.postgresql.operate.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.store.Batch;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A rewind that begins while a claim is opening a window. */
class RewindBesideClaimTest {
  private static final Actor ANNA = new Actor("anna", "a test");

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void discard() {
    database.discard();
  }

  @Test
  void it_waits_for_that_window_and_sends_its_messages_again_too() throws Exception {
    TestLane lane = lanes.take("shop");
    lanes.commit("1", "2");
    CompletableFuture<Batch> claim;
    Future<Operation> start;
    try (Connection holder = database.dataSource().getConnection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      // The claim has read that nothing is being rewound, and cannot store its window yet.
      statement.execute("LOCK TABLE posthorn_progress IN SHARE MODE");
      claim = CompletableFuture.supplyAsync(() -> lane.batch());
      await().until(() -> waiting() == 1);
      start =
          CompletableFuture.supplyAsync(
              () -> store.startOperation(Plan.rewind("shop", Instant.EPOCH), ANNA));
      await().until(() -> start.isDone() || waiting() == 2);
      if (start.isDone()) {
        runSteps();
      }
      holder.commit();
      holder.setAutoCommit(true);
    }
    Batch batch = claim.get();
    Operation rewind = start.get();
    runSteps();
    assertThat(database.parked("shop")).as("while the window is open").isEmpty();
    lane.settle(batch);
    runSteps();
    assertThat(store.operation(rewind.id()).orElseThrow().done()).isEqualTo(2);
    assertThat(database.parked("shop")).hasSize(2);
  }

  private void runSteps() {
    for (int i = 0; i < 3; i++) {
      store.runOperations();
    }
  }

  private int waiting() {
    return database
        .query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            row -> row.getInt(1))
        .get(0);
  }
}

package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.audit.By;
import io.posthorn.core.operation.Operation;
import io.posthorn.core.operation.Operations;
import io.posthorn.core.operation.Plan;
import io.posthorn.core.operation.SentQuery;
import io.posthorn.core.restore.Adopt;
import io.posthorn.core.restore.Restore;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** A relay whose lease has run out takes a step of an operation while a person adopts. */
class AdoptBesideOperationTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final By ANNA = new By("anna", "test");

  // Longer than deadlock_timeout: whoever begins to wait now is the one to find the deadlock.
  private static final String WAITED =
      """
      SELECT count(*)
        FROM pg_stat_activity
       WHERE wait_event_type = 'Lock'
         AND query LIKE '%exclude retention%'
         AND datname = current_database()
         AND query_start < clock_timestamp() - interval '1.2 s'
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @AfterEach
  void close() {
    database.close();
  }

  private boolean hasWaited() {
    return Jdbc.number(database.dataSource(), WAITED) == 1;
  }

  @Test
  @Disabled(
      "a deadlock: a step locks the operation and then the row of posthorn_meta, adopt the other way round")
  void adopt_is_not_given_up_for_a_step_of_an_operation() throws Exception {
    OldMessages.add(database, 10);
    database.execute("UPDATE posthorn_relay SET expires_at = clock_timestamp()");
    Operation resend = Operations.on(store).start(Plan.resend(SentQuery.to("shop")), ANNA);
    CompletableFuture<Void> adopting;
    CompletableFuture<Void> stepping;
    try (Connection other = database.dataSource().getConnection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("SELECT 1 FROM posthorn_lane FOR NO KEY UPDATE");
      }
      adopting =
          CompletableFuture.runAsync(
              () -> Restore.on(store).adopt("test", Adopt.AS_UNDELIVERED, ANNA));
      Waiting.until("adopt to wait for a lane", PATIENCE, () -> database.waitingForLocks() == 1);
      stepping = CompletableFuture.runAsync(store::runOperations);
      Waiting.until("the step to have waited for adopt", PATIENCE, this::hasWaited);
      other.commit();
    }
    adopting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    stepping.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(Operations.on(store).find(resend.id()).orElseThrow().state())
        .isEqualTo(Operation.State.STOPPED);
    assertThat(database.parked("shop")).isEmpty();
  }
}

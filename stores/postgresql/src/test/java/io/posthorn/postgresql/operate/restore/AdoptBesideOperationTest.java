package io.posthorn.postgresql.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A relay with an expired lease takes a step of an operation while a person adopts the database.
 */
class AdoptBesideOperationTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Actor ANNA = new Actor("anna", "test");

  private static final String LETTER =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, payload, content_type, headers, occurred_at, recorded_at,
              seq, position, reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at)
      VALUES ('shop', gen_random_uuid(), 'Tested', 1, '', 'x/y', '{}', now(), now(), 1, 1, 'R', 'R', 'e', 'f', 1, now(),
              now())
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @AfterEach
  void close() {
    database.close();
  }

  static List<Plan> plans() {
    return List.of(Plan.resend(SentQuery.to("shop")), Plan.requeue(DeadLetterQuery.waiting()));
  }

  @ParameterizedTest
  @MethodSource("plans")
  void a_step_does_not_wait_for_adopt_which_stops_the_operation(Plan plan) throws Exception {
    OldMessages.add(database, 10);
    database.execute(LETTER);
    database.execute("UPDATE posthorn_relay SET expires_at = clock_timestamp()");
    Operation operation = Operations.on(store).start(plan, ANNA);
    CompletableFuture<Void> adopting;
    try (Connection other = database.dataSource().getConnection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("SELECT 1 FROM posthorn_lane FOR NO KEY UPDATE");
      }
      adopting =
          CompletableFuture.runAsync(
              () -> Restore.on(store).adopt("test", Adopt.SEND_UNDELIVERED, ANNA));
      Waiting.until("adopt to wait for a lane", PATIENCE, () -> database.waitingForLocks() == 1);
      // The step has locked the operation; waiting here would be a deadlock.
      store.runOperations();
      other.commit();
    }
    adopting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(Operations.on(store).find(operation.id()).orElseThrow().state())
        .isEqualTo(Operation.State.STOPPED);
    assertThat(database.parked("shop")).isEmpty();
  }
}

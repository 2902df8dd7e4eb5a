package io.posthorn.postgresql.operate.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Single steps of operations. */
class OperationStepsTest {
  private static final Actor ANNA = new Actor("anna", "test");

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private final Operations operations = Operations.on(store);

  @AfterEach
  void discard() {
    database.discard();
  }

  @Test
  void one_that_fails_at_each_step_does_not_slow_down_another() {
    Operation broken = operations.start(Plan.discard(DeadLetterQuery.waiting()), ANNA);
    database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'");
    database.execute(
        ("CREATE TRIGGER refuse BEFORE UPDATE ON posthorn_operation FOR EACH ROW WHEN "
                + "(OLD.id = '%s') EXECUTE FUNCTION refuse()")
            .formatted(broken.id()));
    assertThat(store.runOperations()).contains(Duration.ofSeconds(1));
    Operation sound = operations.start(Plan.discard(DeadLetterQuery.waiting()), ANNA);
    assertThat(store.runOperations()).contains(Duration.ZERO);
    assertThat(operations.find(sound.id()).orElseThrow().state()).isEqualTo(Operation.State.DONE);
    assertThat(operations.find(broken.id()).orElseThrow().state())
        .isEqualTo(Operation.State.RUNNING);
    // The step waits a moment before its retry.
    assertThat(store.runOperations().orElseThrow())
        .isPositive()
        .isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void the_first_step_begins_where_the_log_begins_however_many_messages_have_left_it() {
    aBillionMessagesHaveLeft();
    OldMessages.add(database, 10);
    for (Plan plan :
        List.of(Plan.resend(SentQuery.to("shop")), Plan.rewind("shop", Instant.EPOCH))) {
      operations.start(plan, ANNA);
      store.runOperations();
      assertThat(database.parked("shop")).as("%s", plan.action()).hasSize(10);
      store.runOperations();
      database.execute("DELETE FROM posthorn_parked; DELETE FROM posthorn_operation");
    }
  }

  private void aBillionMessagesHaveLeft() {
    database.execute(
        "SELECT setval('posthorn_seq', 1000000000); UPDATE posthorn_progress SET low1 = 1000000000");
  }

  @Test
  void of_an_empty_log_nothing_is_looked_at() {
    aBillionMessagesHaveLeft();
    new TestLanes(database).take("shop");
    Operation resend = operations.start(Plan.resend(SentQuery.to("shop")), ANNA);
    store.runOperations();
    assertThat(operations.find(resend.id()).orElseThrow().state()).isEqualTo(Operation.State.DONE);
  }
}

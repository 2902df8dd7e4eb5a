package io.posthorn.postgresql.operate.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** States of a whole server; each test uses its own server. */
class DoctorServerTest {
  private static DataSource migrated(EmbeddedPostgres postgres) {
    DataSource source = postgres.dataSource(postgres.freshDatabase());
    new Migrations(Tables.DEFAULT).migrate(source);
    return source;
  }

  private static List<Diagnosis> examine(DataSource source) {
    return PostgresqlStore.on(source).examine(Examination.DEFAULT);
  }

  private static Diagnosis find(List<Diagnosis> all, DoctorCheck look) {
    return all.stream()
        .filter(x -> x.code().equals(look.name()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + look + " in " + all));
  }

  @Test
  void a_database_in_order_has_no_finding_above_a_note() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().durable(true).start()) {
      DataSource source = migrated(postgres);
      PostgresqlStore store = PostgresqlStore.on(source);
      FakeConnector connector = FakeConnector.acking();
      try (Relay relay =
          Relay.on(store, "tests", "test")
              .destination(Destination.named("shop", connector).allTypes().build())
              .build()
              .start()) {
        new TestLanes(source).commit("1", "2");
        await().until(() -> connector.received().size() == 2);
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () ->
                    assertThat(examine(source))
                        .hasSizeGreaterThan(25)
                        .allSatisfy(x -> assertThat(x.severity()).isLessThan(Severity.WARNING)));
      }
    }
  }

  @Test
  void a_standby_and_a_primary_with_a_standby_that_may_lag_are_distinguished() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start()) {
      String name = primary.freshDatabase();
      new Migrations(Tables.DEFAULT).migrate(primary.dataSource(name));
      try (EmbeddedPostgres standby = primary.standby()) {
        standby.awaitReplayOf(primary);
        List<Diagnosis> there = examine(standby.dataSource(name));
        assertThat(there.get(0).severity()).isEqualTo(Severity.FAULT);
        assertThat(find(there, DoctorCheck.STANDBY).todo()).contains("primary");
        assertThat(there).noneMatch(x -> x.code().equals("NOT_LOOKED_AT"));
        List<Diagnosis> here = examine(primary.dataSource(name));
        assertThat(find(here, DoctorCheck.STANDBY).severity()).isEqualTo(Severity.OK);
        assertThat(find(here, DoctorCheck.ASYNCHRONOUS_STANDBY).severity())
            .isEqualTo(Severity.NOTE);
      }
    }
  }

  @Test
  void a_prepared_transaction_a_full_server_and_a_server_without_vacuum_are_found()
      throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setting("max_prepared_transactions", "2")
            .setting("autovacuum", "off")
            .maxConnections(12)
            .start()) {
      DataSource source = migrated(postgres);
      Jdbc.execute(source, "BEGIN; SELECT 1; PREPARE TRANSACTION 'the doctor''s'");
      List<Diagnosis> all =
          new Examiner(new Database(source, TableNames.DEFAULT), Clock.systemUTC(), Duration.ZERO)
              .examine(Examination.DEFAULT);
      Diagnosis prepared = find(all, DoctorCheck.PREPARED_TRANSACTION);
      assertThat(prepared.severity()).isEqualTo(Severity.WARNING);
      assertThat(prepared.found()).contains("the doctor's");
      assertThat(prepared.todo()).contains("ROLLBACK PREPARED 'the doctor''s'");
      assertThat(find(all, DoctorCheck.AUTOVACUUM).severity()).isEqualTo(Severity.WARNING);
      assertThat(find(all, DoctorCheck.CONNECTIONS).severity()).isEqualTo(Severity.OK);
      Jdbc.execute(source, "ROLLBACK PREPARED 'the doctor''s'");
      List<Connection> open = new ArrayList<>();
      try {
        for (int i = 0; i < 8; i++) {
          open.add(source.getConnection());
        }
        await()
            .untilAsserted(
                () ->
                    assertThat(find(examine(source), DoctorCheck.CONNECTIONS).severity())
                        .isEqualTo(Severity.WARNING));
      } finally {
        for (Connection connection : open) {
          connection.close();
        }
      }
    }
  }
}

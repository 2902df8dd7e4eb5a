package io.posthorn.postgresql.operate.doctor;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.doctor.DatabaseRole;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.Grants;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The doctor finds everything that is wrong with a database, and nothing else. */
class DoctorTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();

  @AfterEach
  void discard() {
    database.discard();
  }

  private List<Diagnosis> examine() {
    return examine(database.dataSource());
  }

  private static List<Diagnosis> examine(DataSource source) {
    return PostgresqlStore.on(source).examine(Examination.DEFAULT);
  }

  /** Examines as on a machine whose clock is ahead, with a patience of its own. */
  private List<Diagnosis> examine(Duration ahead, Duration patience) {
    Clock clock = Clock.offset(Clock.systemUTC(), ahead);
    return new Examiner(new Database(database.dataSource(), TableNames.DEFAULT), clock, patience)
        .examine(Examination.DEFAULT);
  }

  private static Diagnosis find(List<Diagnosis> all, DoctorCheck look) {
    return all.stream()
        .filter(x -> x.code().equals(look.name()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + look + " in " + all));
  }

  private static void assertFound(
      List<Diagnosis> all, DoctorCheck look, Severity severity, String... texts) {
    Diagnosis found = find(all, look);
    assertThat(found.severity()).as(found.toString()).isEqualTo(severity);
    assertThat(found.found() + " " + found.todo()).contains(texts);
    assertThat(found.why()).isNotBlank().doesNotContain("%");
    assertThat(found.todo()).isNotBlank().doesNotContain("%");
  }

  @Test
  void without_tables_the_server_is_looked_at_all_the_same() {
    EmbeddedPostgres postgres = TestServer.newest().postgres();
    List<Diagnosis> all = examine(postgres.dataSource(postgres.freshDatabase()));
    assertFound(all, DoctorCheck.TABLES_MISSING, Severity.FAULT, "posthorn schema migrate");
    assertThat(find(all, DoctorCheck.STANDBY).severity()).isEqualTo(Severity.OK);
    assertThat(all).noneMatch(x -> x.code().equals("NOT_LOOKED_AT"));
  }

  @Test
  void tables_of_another_version_are_found() {
    database.execute("INSERT INTO posthorn_migration (version, name) VALUES (99, 'newer')");
    assertFound(
        examine(),
        DoctorCheck.TABLES_OF_ANOTHER_VERSION,
        Severity.FAULT,
        "version 99",
        "newer Posthorn");
  }

  @Test
  void a_cached_sequence_is_found() {
    database.execute("ALTER SEQUENCE posthorn_seq CACHE 20");
    assertFound(
        examine(),
        DoctorCheck.SEQUENCE_CACHED,
        Severity.FAULT,
        "CACHE 20",
        "public.posthorn_seq CACHE 1");
  }

  @Test
  void a_sequence_that_was_set_back_is_found() {
    new TestLanes(database).take("shop");
    database.execute(
        "INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq, "
            + "high) SELECT destination, lane, gen_random_uuid(), s1, low1, last_seq, 700 "
            + "FROM posthorn_progress WHERE destination = 'shop'");
    assertFound(
        examine(),
        DoctorCheck.SEQUENCE_BEHIND,
        Severity.FAULT,
        "setval('public.posthorn_seq', 700)");
  }

  @Test
  void a_cursor_that_is_ahead_of_the_server_is_found() {
    new TestLanes(database).take("shop");
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        VALUES ('shop', 0, gen_random_uuid(), '900000000:900000000:', 0, 0)
        """);
    assertFound(
        examine(),
        DoctorCheck.CURSOR_AHEAD,
        Severity.FAULT,
        "'shop'",
        "adopt --environment NAME --as-sent");
  }

  @Test
  void another_environment_a_copy_and_a_fence_are_found() {
    database.store().verify("test");
    Examination production = new Examination("production", RetentionTimes.DEFAULT, Map.of());
    assertFound(
        PostgresqlStore.on(database.dataSource()).examine(production),
        DoctorCheck.ENVIRONMENT_DIFFERS,
        Severity.FAULT,
        "'test'",
        "adopt --environment production --as-sent");
    assertThat(find(examine(), DoctorCheck.ENVIRONMENT_DIFFERS).severity()).isEqualTo(Severity.OK);
    database.execute("UPDATE posthorn_meta SET system_identifier = 42");
    assertFound(
        examine(), DoctorCheck.ENVIRONMENT_DIFFERS, Severity.FAULT, "server 42", "test --as-sent");
    database.execute("UPDATE posthorn_meta SET environment = 'fenced: test'");
    assertFound(
        examine(), DoctorCheck.ENVIRONMENT_DIFFERS, Severity.FAULT, "fenced", "NAME --as-sent");
  }

  @Test
  void missing_rights_are_found_of_the_role_in_use_and_of_others() {
    database.execute("CREATE ROLE doctor_relay LOGIN; CREATE ROLE doctor_nobody LOGIN");
    Jdbc.execute(database.dataSource(), new Grants(Tables.DEFAULT).relay("doctor_relay"));
    Examination relay =
        new Examination(
            null, RetentionTimes.DEFAULT, Map.of(DatabaseRole.RELAY, List.of("doctor_relay")));
    PostgresqlStore store = PostgresqlStore.on(database.dataSource());
    assertThat(find(store.examine(relay), DoctorCheck.MISSING_RIGHTS).severity())
        .isEqualTo(Severity.OK);
    assertThat(find(examine(database.as("doctor_relay")), DoctorCheck.MISSING_RIGHTS).found())
        .contains("as relay");
    database.execute("REVOKE TRUNCATE ON posthorn_log_03 FROM doctor_relay");
    database.execute("REVOKE EXECUTE ON FUNCTION posthorn_note FROM doctor_relay");
    assertFound(
        store.examine(relay),
        DoctorCheck.MISSING_RIGHTS,
        Severity.FAULT,
        "lacks 2 rights",
        "TRUNCATE on public.posthorn_log_03",
        "EXECUTE on public.posthorn_note",
        "grants --relay doctor_relay");
    List<Diagnosis> asNobody = examine(database.as("doctor_nobody"));
    assertFound(
        asNobody, DoctorCheck.MISSING_RIGHTS, Severity.FAULT, "grants --operator doctor_nobody");
    assertFound(asNobody, DoctorCheck.NOT_LOOKED_AT, Severity.WARNING, "permission denied");
    assertFound(asNobody, DoctorCheck.SIGHT, Severity.NOTE, "pg_read_all_stats");
    database.execute("DROP OWNED BY doctor_relay; DROP ROLE doctor_relay; DROP ROLE doctor_nobody");
  }

  @Test
  void operators_see_everything() {
    database.execute("CREATE ROLE doctor_operator LOGIN");
    Jdbc.execute(database.dataSource(), new Grants(Tables.DEFAULT).operator("doctor_operator"));
    List<Diagnosis> all = examine(database.as("doctor_operator"));
    assertThat(all).noneMatch(x -> x.code().equals("NOT_LOOKED_AT"));
    assertThat(find(all, DoctorCheck.MISSING_RIGHTS).found()).contains("as operator");
    database.execute("DROP OWNED BY doctor_operator; DROP ROLE doctor_operator");
  }

  @Test
  void a_leaf_that_was_taken_away_is_found() {
    database.execute("ALTER TABLE posthorn_log DETACH PARTITION posthorn_log_07");
    assertFound(
        examine(), DoctorCheck.LEAVES, Severity.FAULT, "posthorn_log_07", "ATTACH PARTITION");
  }

  @Test
  void an_index_that_was_not_finished_is_found() {
    new TestLanes(database).take("shop");
    try {
      database.execute(
          "CREATE UNIQUE INDEX CONCURRENTLY half_done ON posthorn_destination (direction)");
    } catch (AssertionError | RuntimeException e) {
      // Two rows have the same direction, so building the index fails and leaves it invalid.
    }
    assertFound(examine(), DoctorCheck.INDEXES, Severity.WARNING, "half_done", "REINDEX");
  }

  @Test
  void a_table_without_vacuum_is_found() {
    database.execute("ALTER TABLE posthorn_parked SET (autovacuum_enabled = off)");
    assertThat(examine())
        .anyMatch(
            x -> x.severity() == Severity.WARNING && x.found().contains("for posthorn_parked"));
  }

  @Test
  void settings_of_the_database_that_do_harm_are_found() {
    String name = database.name();
    for (String setting :
        List.of(
            "synchronous_commit = off",
            "statement_timeout = '2s'",
            "default_transaction_read_only = on",
            "idle_in_transaction_session_timeout = '60s'")) {
      database.execute("ALTER DATABASE %s SET %s".formatted(name, setting));
    }
    List<Diagnosis> all = examine(TestServer.newest().postgres().dataSource(name));
    assertFound(all, DoctorCheck.SYNCHRONOUS_COMMIT, Severity.WARNING, "off");
    assertFound(all, DoctorCheck.STATEMENT_TIMEOUT, Severity.WARNING, "2,000 ms");
    assertFound(all, DoctorCheck.READ_ONLY, Severity.FAULT, "default_transaction_read_only");
    assertThat(find(all, DoctorCheck.IDLE_TRANSACTIONS).found()).contains("60 s");
    assertFound(examine(), DoctorCheck.IDLE_TRANSACTIONS, Severity.NOTE, "not set");
    // Test servers are fast and not durable.
    assertFound(all, DoctorCheck.DURABILITY, Severity.FAULT, "fsync is off");
  }

  @Test
  void a_clock_that_is_wrong_is_found() {
    assertThat(find(examine(), DoctorCheck.CLOCK).severity()).isEqualTo(Severity.OK);
    assertFound(
        examine(Duration.ofMinutes(2), Examiner.PATIENCE),
        DoctorCheck.CLOCK,
        Severity.WARNING,
        "ahead of",
        "NTP");
    assertFound(
        examine(Duration.ofMinutes(-2), Examiner.PATIENCE),
        DoctorCheck.CLOCK,
        Severity.WARNING,
        "behind");
  }

  @Test
  void a_transaction_that_stays_open_is_found() throws Exception {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      database.store().append(connection, List.of(message("1")), List.of(""), false);
      assertFound(
          examine(Duration.ZERO, Duration.ZERO),
          DoctorCheck.OPEN_TRANSACTION,
          Severity.WARNING,
          "idle in transaction",
          "pg_terminate_backend");
      assertThat(find(examine(), DoctorCheck.OPEN_TRANSACTION).severity()).isEqualTo(Severity.OK);
      connection.rollback();
    }
  }

  @Test
  void a_replication_slot_that_nobody_reads_is_found() {
    database.execute("SELECT pg_create_physical_replication_slot('doctor_slot', true)");
    assertFound(
        examine(),
        DoctorCheck.REPLICATION_SLOT,
        Severity.WARNING,
        "doctor_slot",
        "pg_drop_replication");
    database.execute("SELECT pg_drop_replication_slot('doctor_slot')");
  }

  @Test
  void a_pooler_in_transaction_mode_is_found() {
    PostgresqlDatabase behind = TestServer.newest().databaseBehindBouncer();
    assertFound(
        examine(behind.dataSource()), DoctorCheck.POOLER, Severity.NOTE, "transaction mode");
    behind.close();
    assertThat(find(examine(), DoctorCheck.POOLER).severity()).isEqualTo(Severity.OK);
  }

  @Test
  void a_retention_that_does_not_fit_is_found() {
    Examination long0 =
        new Examination(
            null, new RetentionTimes(Duration.ofDays(14), Duration.ofDays(30)), Map.of());
    assertFound(
        PostgresqlStore.on(database.dataSource()).examine(long0),
        DoctorCheck.RETENTION_TIMES,
        Severity.FAULT,
        "14 days",
        "at most 13");
  }

  @Test
  void the_doctor_changes_nothing() {
    examine();
    assertThat(Jdbc.number(database.dataSource(), "SELECT count(*) FROM posthorn_audit")).isZero();
    assertThat(
            Jdbc.number(
                database.dataSource(),
                "SELECT count(*) FROM posthorn_meta WHERE environment IS NOT NULL"))
        .isZero();
  }
}

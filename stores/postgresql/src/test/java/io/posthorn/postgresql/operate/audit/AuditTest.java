package io.posthorn.postgresql.operate.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Grants;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestServer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The database writes the audit itself, and Java verifies it by the same rule. */
class AuditTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private final String role = "audited_" + database.name();

  @AfterEach
  void close() {
    database.close();
  }

  private void note(String who, String before, String after) {
    database.execute(
        "SELECT posthorn_note('%s', 'test', 'because €', ARRAY['one', 'two'], ARRAY[%2$s, %2$s], ARRAY[%3$s, %3$s])"
            .formatted(who, before, after));
  }

  @Test
  void a_change_of_any_column_of_an_entry_breaks_the_chain_there() {
    note("anna", "'was'", "'is'");
    note("anna", "'was'", "'is'");
    assertThat(Audit.on(store).verify().broken()).isEmpty();
    List<String> columns =
        database.query(
            "SELECT attname FROM pg_attribute WHERE attrelid = "
                + "'posthorn_audit'::regclass AND attnum > 0 AND NOT attisdropped",
            row -> row.getString(1));
    assertThat(columns).hasSizeGreaterThanOrEqualTo(10);
    database.execute("ALTER TABLE posthorn_audit DISABLE TRIGGER append_only");
    List<String> unnoticed = new ArrayList<>();
    for (String column : columns) {
      String other =
          switch (column) {
            case "n" -> "n + 10";
            case "at" -> "at + interval '1 microsecond'";
            default -> column + " || 'x'";
          };
      database.execute("CREATE TABLE kept AS SELECT * FROM posthorn_audit");
      database.execute("UPDATE posthorn_audit SET %s = %s WHERE n = 2".formatted(column, other));
      if (!Audit.on(store).verify().broken().equals(Optional.of(2L))) {
        unnoticed.add(column);
      }
      for (String optional : List.of("before", "after")) {
        if (column.equals(optional)) {
          database.execute("UPDATE posthorn_audit SET %s = NULL WHERE n = 2".formatted(column));
          assertThat(Audit.on(store).verify().broken()).as("no " + column).contains(2L);
        }
      }
      database.execute("DELETE FROM posthorn_audit");
      database.execute("INSERT INTO posthorn_audit SELECT * FROM kept");
      database.execute("DROP TABLE kept");
    }
    database.execute("ALTER TABLE posthorn_audit ENABLE TRIGGER append_only");
    assertThat(unnoticed).isEmpty();
    assertThat(Audit.on(store).verify().broken()).isEmpty();
  }

  @Test
  void an_entry_shows_the_database_role_that_wrote_it_whatever_the_program_says() {
    database.execute("CREATE ROLE %s LOGIN".formatted(role));
    Jdbc.execute(database.dataSource(), new Grants(Tables.DEFAULT).operator(role));
    PostgresqlStore operator = PostgresqlStore.on(database.as(role), Tables.DEFAULT);
    store.register("tests", List.of(new ServedDestination("mail", Set.of("*"))));
    operator.limit("mail", 5.0, new Actor("the director", "a test"));
    note("anna", "NULL", "'is'");
    List<AuditEntry> entries = store.audit(0, 10);
    assertThat(entries.get(entries.size() - 1).role()).isNotEqualTo(role);
    assertThat(
            entries.stream()
                .filter(entry -> entry.role().equals(role))
                .map(AuditEntry::who)
                .toList())
        .containsExactly("the director");
    assertThat(Audit.on(store).verify().broken()).isEmpty();
    database.execute("DROP OWNED BY %1$s; DROP ROLE %1$s".formatted(role));
  }

  @Test
  void moments_are_written_alike_by_java_and_the_database() {
    for (String at :
        List.of(
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:00Z",
            "2026-01-02T03:04:05.100Z",
            "2026-01-02T03:04:05.120Z",
            "2026-01-02T03:04:05.123Z",
            "2026-01-02T03:04:05.000100Z",
            "2026-01-02T03:04:05.123400Z",
            "2026-01-02T03:04:05.000001Z",
            "2026-12-31T23:59:59.999999Z")) {
      assertThat(
              database.query(
                  "SELECT posthorn_instant('%s')".formatted(at), row -> row.getString(1)))
          .containsExactly(Instant.parse(at).toString())
          .containsExactly(at);
    }
  }
}

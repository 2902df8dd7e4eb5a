package io.posthorn.postgresql.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * A database that cannot store every character would refuse a settle because of one error text, and
 * block the lane forever. It is refused before anything depends on it.
 */
class EncodingTest {
  private static final EmbeddedPostgres POSTGRES = TestServer.newest().postgres();
  private static final String UTF8_NEEDED = "ENCODING 'UTF8'";

  private final String name = POSTGRES.freshDatabase() + "_latin1";
  private final DataSource latin1 = create();

  private DataSource create() {
    Jdbc.execute(
        POSTGRES.dataSource("postgres"),
        "CREATE DATABASE %s ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
            .formatted(name));
    return POSTGRES.dataSource(name);
  }

  @Test
  void in_a_database_of_another_encoding_no_tables_are_made() {
    Refused.with(ErrorCode.UNSUITABLE_SERVER, () -> new Migrations(Tables.DEFAULT).migrate(latin1))
        .hasMessageContaining("LATIN1")
        .hasMessageContaining(UTF8_NEEDED);
    assertThat(Jdbc.query(latin1, "SELECT to_regclass('posthorn_meta')", row -> row.getString(1)))
        .containsOnlyNulls();
  }

  @Test
  void the_printed_migration_refuses_it_too() throws SQLException {
    String printed = new Migrations(Tables.DEFAULT).all().get(0).sql();
    try (Connection connection = latin1.getConnection();
        var statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute(printed)).hasMessageContaining(UTF8_NEEDED);
    }
  }

  @Test
  void over_tables_in_such_a_database_no_relay_starts_and_the_doctor_names_it() {
    String printed = new Migrations(Tables.DEFAULT).all().get(0).sql();
    Jdbc.execute(latin1, printed.replace("<> 'UTF8'", "IS NULL"));
    PostgresqlStore store = PostgresqlStore.on(latin1);
    Refused.with(ErrorCode.UNSUITABLE_SERVER, () -> store.verify("test"))
        .hasMessageContaining("LATIN1")
        .hasMessageContaining(UTF8_NEEDED);
    assertThat(store.examine(Examination.DEFAULT))
        .filteredOn(found -> found.severity() == Severity.FAULT)
        .extracting(Diagnosis::code)
        .contains("ENCODING");
  }
}

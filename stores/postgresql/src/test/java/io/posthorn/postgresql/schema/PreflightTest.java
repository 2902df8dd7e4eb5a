package io.posthorn.postgresql.schema;

import static io.posthorn.testkit.TestMessages.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A relay does not start where it would lose, duplicate or leak messages, and its error says why.
 */
class PreflightTest {
  private static final EmbeddedPostgres POSTGRES = TestServer.newest().postgres();

  private final PostgresqlDatabase database = TestServer.newest().database();

  @AfterEach
  void close() {
    database.close();
  }

  private void verify() {
    database.store().verify("test");
  }

  @Test
  void with_all_in_order_it_starts() {
    verify();
    verify();
  }

  @Test
  void without_the_tables_it_does_not_start() {
    DataSource empty = POSTGRES.dataSource(POSTGRES.freshDatabase());
    Refused.with(ErrorCode.TABLES_MISSING, () -> PostgresqlStore.on(empty).verify("test"))
        .hasMessageContaining("posthorn schema migrate");
  }

  @Test
  void with_the_tables_elsewhere_it_does_not_start() {
    Tables elsewhere = new Tables("public", "other_");
    PostgresqlStore store = PostgresqlStore.on(database.dataSource(), elsewhere);
    Refused.with(ErrorCode.TABLES_MISSING, () -> store.verify("test"));
  }

  @Test
  void in_the_wrong_database_no_message_is_added() throws Exception {
    DataSource wrong = POSTGRES.dataSource(POSTGRES.freshDatabase());
    try (Connection connection = wrong.getConnection()) {
      connection.setAutoCommit(false);
      Refused.with(
          ErrorCode.TABLES_MISSING,
          () ->
              PostgresqlStore.on(wrong)
                  .append(connection, List.of(message("1")), List.of(""), false));
    }
  }

  @Test
  void with_older_or_newer_tables_it_does_not_start() {
    database.execute("INSERT INTO posthorn_migration (version, name) VALUES (99, 'newer')");
    Refused.with(ErrorCode.TABLES_OF_ANOTHER_VERSION, this::verify)
        .hasMessageContaining("99")
        .hasMessageContaining("newer Posthorn");
    database.execute("DELETE FROM posthorn_migration");
    Refused.with(ErrorCode.TABLES_OF_ANOTHER_VERSION, this::verify)
        .hasMessageContaining("posthorn schema migrate");
  }

  @Test
  void into_tables_of_another_version_no_message_is_added() throws Exception {
    PostgresqlDatabase older = TestServer.newest().databaseOfItsOwn();
    older.execute("ALTER TABLE posthorn_log DROP COLUMN occurred_at CASCADE");
    try (Connection connection = older.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      Refused.with(
          ErrorCode.TABLES_OF_ANOTHER_VERSION,
          () -> older.store().append(connection, List.of(message("1")), List.of(""), false));
    } finally {
      older.discard();
    }
  }

  @Test
  void with_a_cached_sequence_it_does_not_start() {
    database.execute("ALTER SEQUENCE posthorn_seq CACHE 20");
    Refused.with(ErrorCode.SEQUENCE_CACHED, this::verify).hasMessageContaining("CACHE 20");
    database.execute("ALTER SEQUENCE posthorn_seq CACHE 1");
  }

  @Test
  void without_rights_it_does_not_start() {
    database.execute("CREATE ROLE nobody LOGIN");
    Refused.with(
            ErrorCode.MISSING_RIGHTS,
            () -> PostgresqlStore.on(database.as("nobody")).verify("test"))
        .hasMessageContaining("posthorn schema grants");
    database.execute("DROP ROLE nobody");
  }

  @Test
  void on_a_restored_or_copied_database_it_does_not_start() {
    verify();
    database.execute("UPDATE posthorn_meta SET system_identifier = 42");
    Refused.with(ErrorCode.ENVIRONMENT_DIFFERS, this::verify).hasMessageContaining("server 42");
  }

  @Test
  void on_a_standby_it_does_not_start() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start()) {
      String name = primary.freshDatabase();
      new Migrations(Tables.DEFAULT).migrate(primary.dataSource(name));
      try (EmbeddedPostgres standby = primary.standby()) {
        standby.awaitReplayOf(primary);
        Refused.with(
                ErrorCode.STANDBY,
                () -> PostgresqlStore.on(standby.dataSource(name)).verify("test"))
            .hasMessageContaining("primary");
      }
    }
  }

  @Test
  void a_cursor_that_is_ahead_of_the_server_is_not_read() {
    TestLanes lanes = new TestLanes(database);
    var lane = lanes.take("shop");
    lanes.commit("1");
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        VALUES ('shop', 0, gen_random_uuid(), '900000000:900000000:', 0, 0)
        """);
    Refused.with(ErrorCode.CURSOR_AHEAD, lane::drain).hasMessageContaining("CURSOR_AHEAD");
  }
}

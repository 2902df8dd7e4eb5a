package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class MigrationsTest {
  private static final EmbeddedPostgres POSTGRES = TestServer.newest().postgres();

  /** All migrations have begun before the first one may proceed. */
  @Test
  void of_many_who_migrate_at_once_one_does() throws Exception {
    Tables tables = new Tables("messaging", "x_");
    PostgresqlDatabase database =
        new PostgresqlDatabase(POSTGRES.jdbcUrl(POSTGRES.freshDatabase()), tables);
    DataSource dataSource = database.dataSource();
    List<CompletableFuture<Integer>> applied = new ArrayList<>();
    try (Connection first = dataSource.getConnection();
        Statement lock = first.createStatement()) {
      first.setAutoCommit(false);
      lock.execute("SELECT pg_advisory_xact_lock(1349350516, 0)");
      for (int i = 0; i < 4; i++) {
        applied.add(
            CompletableFuture.supplyAsync(
                () -> new Migrations(tables).migrate(dataSource).size(),
                task -> new Thread(task).start()));
      }
      await().until(() -> database.waitingForLocks() == 4);
      first.commit();
    }
    int sum = 0;
    for (CompletableFuture<Integer> one : applied) {
      sum += one.get();
    }
    assertThat(sum).isEqualTo(Migrations.VERSION);
    PostgresqlStore.on(dataSource, tables).verify("test");
    database.discard();
  }

  @Test
  void two_installations_live_in_one_database() {
    DataSource dataSource = POSTGRES.dataSource(POSTGRES.freshDatabase());
    for (Tables tables : List.of(new Tables("public", "a_"), new Tables("public", "b_"))) {
      new Migrations(tables).migrate(dataSource);
      PostgresqlStore.on(dataSource, tables).verify("test");
    }
  }

  @Test
  void the_printed_migrations_name_no_table_of_another_place() {
    String sql = new Migrations(new Tables("messaging", "x_")).all().get(0).sql();
    assertThat(sql).contains("messaging.x_log").doesNotContain("posthorn_");
  }

  @Test
  void a_role_that_may_only_fill_the_schema_can_migrate() {
    String name = POSTGRES.freshDatabase();
    DataSource admin = POSTGRES.dataSource(name);
    Jdbc.execute(
        admin,
        ("CREATE ROLE migrator LOGIN; CREATE SCHEMA filled AUTHORIZATION migrator; "
                + "REVOKE CREATE ON DATABASE %s FROM PUBLIC")
            .formatted(name));
    PostgresqlDatabase database =
        new PostgresqlDatabase(POSTGRES.jdbcUrl(name), new Tables("filled", "y_"));
    new Migrations(database.tables()).migrate(database.as("migrator"));
    PostgresqlStore.on(database.as("migrator"), database.tables()).verify("test");
    database.discard();
    Jdbc.execute(admin, "DROP OWNED BY migrator; DROP ROLE migrator");
  }

  @Test
  void names_that_are_no_plain_names_are_refused() {
    for (String name :
        List.of("", "Upper", "with space", "quote\"", "semi;colon", "x".repeat(40))) {
      Refused.with(ErrorCode.CONFIGURATION, () -> new Tables(name, "posthorn_"));
      Refused.with(ErrorCode.CONFIGURATION, () -> new Tables("public", name));
    }
  }
}

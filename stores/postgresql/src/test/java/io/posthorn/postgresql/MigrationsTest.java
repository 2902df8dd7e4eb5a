package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class MigrationsTest {
  private static final EmbeddedPostgres POSTGRES = TestServer.newest().postgres();

  @Test
  void of_many_who_migrate_at_once_one_does() throws Exception {
    DataSource dataSource = POSTGRES.dataSource(POSTGRES.freshDatabase());
    Tables tables = new Tables("messaging", "x_");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> applied = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      applied.add(threads.submit(() -> new Migrations(tables).migrate(dataSource).size()));
    }
    int sum = 0;
    for (Future<Integer> one : applied) {
      sum += one.get();
    }
    threads.shutdown();
    assertThat(sum).isEqualTo(Migrations.VERSION);
    PostgresqlStore.on(dataSource, tables).verify("test");
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
        "CREATE ROLE migrator LOGIN; CREATE SCHEMA filled AUTHORIZATION migrator; REVOKE CREATE ON DATABASE %s FROM PUBLIC"
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

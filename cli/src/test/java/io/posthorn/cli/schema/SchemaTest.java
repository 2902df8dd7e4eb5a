package io.posthorn.cli.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.Ran;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaTest {
  private static final String[] ELSEWHERE = {"--schema", "shop", "--prefix", "out_"};

  @Test
  void what_is_printed_makes_what_migrate_makes() throws SQLException {
    Server migrated = Server.fresh();
    Server printed = Server.fresh();
    migrated.migrate();
    printed.run(print());

    assertThat(printed.catalogue()).isEqualTo(migrated.catalogue()).hasSizeGreaterThan(100);
  }

  @Test
  void finding_can_be_left_out_and_added_later() throws SQLException {
    Server migrated = Server.fresh();
    Server without = Server.fresh();
    Server printed = Server.fresh();
    migrated.migrate(ELSEWHERE);
    without.migrate("--without-finding", "--schema", "shop", "--prefix", "out_");
    printed.run(print("--without-finding", "--schema", "shop", "--prefix", "out_"));
    assertThat(printed.catalogue()).isEqualTo(without.catalogue());
    assertThat(String.join("\n", without.catalogue())).doesNotContain("out_log_key_seq_idx");
    for (String statement :
        print("--only-finding", "--schema", "shop", "--prefix", "out_").split(";\n")) {
      without.run(statement);
    }
    assertThat(without.catalogue()).isEqualTo(migrated.catalogue());
  }

  @Test
  void the_same_holds_in_another_schema_and_with_another_prefix() throws SQLException {
    Server migrated = Server.fresh();
    Server printed = Server.fresh();
    migrated.migrate(ELSEWHERE);
    printed.run(print(ELSEWHERE));

    assertThat(printed.catalogue()).isEqualTo(migrated.catalogue());
    assertThat(String.join("\n", printed.catalogue()))
        .contains("shop.out_log")
        .doesNotContain("posthorn_");
  }

  @Test
  void the_files_for_flyway_are_printed_one_by_one(@TempDir Path directory)
      throws SQLException, IOException {
    Server migrated = Server.fresh();
    Server printed = Server.fresh();
    migrated.migrate();
    Ran ran = Ran.posthorn("schema", "print", "--to", directory.toString());
    assertThat(ran.code()).isZero();

    try (var files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        assertThat(file.getFileName().toString()).matches("V\\d+__posthorn_[a-z_]+\\.sql");
        printed.run(Files.readString(file));
      }
    }
    assertThat(printed.catalogue()).isEqualTo(migrated.catalogue());
  }

  @Test
  void a_file_that_differs_is_not_overwritten(@TempDir Path directory) throws IOException {
    String[] print = {"schema", "print", "--to", directory.toString()};
    assertThat(Ran.posthorn(print).out()).contains("wrote ");
    assertThat(Ran.posthorn(print).out()).contains("kept ");
    Path file = directory.resolve("V1__posthorn_outbox.sql");
    Files.writeString(file, "-- mine");

    Ran ran = Ran.posthorn(print);

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.err()).contains(file.toString()).contains("was not written");
    assertThat(file).hasContent("-- mine");
  }

  @Test
  void liquibase_gets_a_changelog_that_is_not_split() throws SQLException {
    Server migrated = Server.fresh();
    Server printed = Server.fresh();
    migrated.migrate();
    String changelog = print("--format", "liquibase");

    assertThat(changelog).startsWith("--liquibase formatted sql\n");
    assertThat(changelog).contains("\n--changeset posthorn:1 splitStatements:false");
    printed.run(changelog);
    assertThat(printed.catalogue()).isEqualTo(migrated.catalogue());
  }

  /** Flyway and Liquibase would replace it as a placeholder. */
  @Test
  void nothing_that_is_printed_looks_like_a_placeholder() {
    assertThat(print()).doesNotContain("${");
  }

  @Test
  void migrating_twice_does_nothing_the_second_time() {
    Server migrated = Server.fresh();
    assertThat(migrated.migrate()).contains("applied V1__posthorn_outbox.sql");
    assertThat(migrated.migrate()).doesNotContain("applied").contains("there was nothing to do");
  }

  @Test
  void grants_can_be_run_for_every_role_also_with_odd_names() throws SQLException {
    Server migrated = Server.fresh();
    migrated.migrate();
    String suffix = migrated.name();
    migrated.run("CREATE ROLE writer_%1$s; CREATE ROLE \"Re-lay %1$s\"".formatted(suffix));
    migrated.run("CREATE ROLE operator_" + suffix);

    Ran ran =
        Ran.posthorn(
            "schema",
            "grants",
            "--writer=writer_" + suffix,
            "--relay=Re-lay " + suffix,
            "--operator=operator_" + suffix);

    assertThat(ran.code()).isZero();
    migrated.run(ran.out());
    assertThat(
            migrated.value(
                "SELECT has_table_privilege('Re-lay " + suffix + "', 'posthorn_log', 'SELECT')"))
        .isEqualTo("t");
  }

  @Test
  void a_database_that_cannot_be_reached_gives_one_clear_line() {
    String url = "jdbc:postgresql://127.0.0.1:1/shop";
    Ran ran =
        Ran.posthorn(
            "schema",
            "migrate",
            "--url",
            url + "?password=secret1",
            "--user",
            "app",
            "--password=secret2");

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err().lines()).hasSize(1);
    assertThat(ran.err())
        .startsWith("posthorn: cannot connect to " + url + " as app: ")
        .contains("refused")
        .doesNotContain("secret");
  }

  @Test
  void the_stack_trace_is_there_for_those_who_ask() {
    Ran ran =
        Ran.posthorn("schema", "migrate", "--stacktrace", "--url=jdbc:postgresql://127.0.0.1:1/x");

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.err()).startsWith("posthorn: cannot connect").contains("\tat ");
  }

  @Test
  void a_variable_that_should_hold_the_password_and_is_missing_is_named() {
    Ran ran =
        Ran.posthorn(
            "schema",
            "migrate",
            "--url=" + EmbeddedPostgres.shared().jdbcUrl(),
            "--password-env=NO_SUCH_VARIABLE");

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("NO_SUCH_VARIABLE");
  }

  private static String print(String... options) {
    String[] args = new String[options.length + 2];
    args[0] = "schema";
    args[1] = "print";
    System.arraycopy(options, 0, args, 2, options.length);
    Ran ran = Ran.posthorn(args);
    assertThat(ran.code()).isZero();
    return ran.out();
  }
}

package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedPostgresTest {
  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 18})
  void every_supported_version_starts(int version) throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().version(version).start()) {
      assertThat(Sql.value(postgres.dataSource(), "SHOW server_version_num"))
          .startsWith(Integer.toString(version));
    }
  }

  @Test
  void by_default_commits_are_synchronous_but_do_not_wait_for_the_disk() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();

    assertThat(Sql.value(postgres.dataSource(), "SHOW fsync")).isEqualTo("off");
    assertThat(Sql.value(postgres.dataSource(), "SHOW synchronous_commit")).isEqualTo("on");
    assertThat(Sql.value(postgres.dataSource(), "SHOW max_connections")).isEqualTo("300");
  }

  @Test
  void a_durable_server_waits_for_the_disk_and_takes_settings() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .durable(true)
            .maxConnections(20)
            .setting("wal_level", "logical")
            .setting("search_path", "it's, public")
            .start()) {
      assertThat(Sql.value(postgres.dataSource(), "SHOW fsync")).isEqualTo("on");
      assertThat(Sql.value(postgres.dataSource(), "SHOW full_page_writes")).isEqualTo("on");
      assertThat(Sql.value(postgres.dataSource(), "SHOW max_connections")).isEqualTo("20");
      assertThat(Sql.value(postgres.dataSource(), "SHOW wal_level")).isEqualTo("logical");
      assertThat(Sql.value(postgres.dataSource(), "SHOW search_path")).isEqualTo("it's, public");
    }
  }

  @Test
  void alter_system_wins_over_a_setting() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().setting("work_mem", "5MB").start()) {
      Sql.execute(postgres.dataSource(), "ALTER SYSTEM SET work_mem = '7MB'");
      postgres.restart();

      assertThat(Sql.value(postgres.dataSource(), "SHOW work_mem")).isEqualTo("7MB");
    }
  }

  @Test
  void a_killed_durable_server_comes_back_with_what_was_committed_and_nothing_else()
      throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().durable(true).start();
        Connection connection = postgres.dataSource().getConnection()) {
      int port = postgres.port();
      Sql.execute(connection, "CREATE TABLE kept (id int)");
      Sql.execute(connection, "INSERT INTO kept VALUES (1)");
      connection.setAutoCommit(false);
      Sql.execute(connection, "INSERT INTO kept VALUES (2)");

      postgres.kill();
      assertThat(postgres.isRunning()).isFalse();
      postgres.start();

      assertThat(postgres.port()).isEqualTo(port);
      assertThat(Sql.value(postgres.dataSource(), "SELECT string_agg(id::text, ',') FROM kept"))
          .isEqualTo("1");
    }
  }

  @Test
  void kill_returns_when_no_process_of_the_server_is_left() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
        Connection connection = postgres.dataSource().getConnection()) {
      long backend = Long.parseLong(Sql.value(connection, "SELECT pg_backend_pid()"));
      long postmaster = postgres.pid();
      List<Long> others = Processes.children(postmaster);
      assertThat(others).contains(backend).hasSizeGreaterThan(3);

      postgres.kill();

      assertThat(others).noneMatch(Processes::isRunning);
      assertThat(Processes.isRunning(postmaster)).isFalse();
    }
  }

  @Test
  void stop_and_restart_keep_port_and_data() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
      int port = postgres.port();
      Sql.execute(postgres.dataSource(), "CREATE TABLE kept (id int)");

      postgres.stop();
      assertThatThrownBy(() -> postgres.dataSource().getConnection())
          .isInstanceOf(SQLException.class);
      postgres.restart();
      postgres.restart();

      assertThat(postgres.port()).isEqualTo(port);
      assertThat(Sql.value(postgres.dataSource(), "SELECT count(*) FROM kept")).isEqualTo("0");
    }
  }

  @Test
  void a_frozen_server_answers_nothing_until_it_is_thawed() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
        Connection connection = postgres.dataSource().getConnection()) {
      postgres.freeze();
      CompletableFuture<String> running = CompletableFuture.supplyAsync(() -> valueOn(connection));
      CompletableFuture<String> connecting =
          CompletableFuture.supplyAsync(() -> valueOn(postgres.jdbcUrl()));
      assertThatThrownBy(() -> running.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      assertThat(connecting).isNotDone();

      postgres.thaw();

      assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo("42");
      assertThat(connecting.get(10, TimeUnit.SECONDS)).isEqualTo("42");
    }
  }

  @Test
  void a_frozen_server_can_be_killed_and_started_again() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
      postgres.freeze();
      postgres.kill();
      postgres.start();

      assertThat(valueOn(postgres.jdbcUrl())).isEqualTo("42");
    }
  }

  @Test
  void a_cold_copy_is_a_server_of_its_own_with_the_data_of_the_crash() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
      Sql.execute(postgres.dataSource(), "CREATE TABLE copied (id int)");
      assertThatThrownBy(postgres::coldCopy).hasMessageContaining("stop() or kill()");
      postgres.kill();
      try (EmbeddedPostgres copy = postgres.coldCopy()) {
        postgres.start();
        copy.start();
        Sql.execute(copy.dataSource(), "INSERT INTO copied VALUES (1)");

        assertThat(copy.port()).isNotEqualTo(postgres.port());
        assertThat(Sql.value(copy.dataSource(), "SELECT count(*) FROM copied")).isEqualTo("1");
        assertThat(Sql.value(postgres.dataSource(), "SELECT count(*) FROM copied")).isEqualTo("0");
      }
    }
  }

  @Test
  void fresh_databases_of_the_shared_server_are_apart() throws Exception {
    EmbeddedPostgres shared = EmbeddedPostgres.shared();
    String one = shared.freshDatabase();
    String two = shared.freshDatabase();

    Sql.execute(shared.dataSource(one), "CREATE TABLE only_in_one (id int)");

    assertThat(EmbeddedPostgres.shared()).isSameAs(shared);
    assertThat(Sql.value(shared.dataSource(two), "SELECT to_regclass('only_in_one')")).isNull();
  }

  @Test
  void the_shared_server_cannot_be_taken_away_from_other_tests() {
    EmbeddedPostgres shared = EmbeddedPostgres.shared();

    assertThatThrownBy(shared::kill).hasMessageContaining("start your own");
    assertThatThrownBy(shared::stop).hasMessageContaining("start your own");
    assertThatThrownBy(shared::freeze).hasMessageContaining("start your own");
    assertThatThrownBy(shared::close).hasMessageContaining("start your own");
  }

  @Test
  void close_removes_the_directory() {
    EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
    assertThat(postgres.dataDirectory()).isDirectory();

    postgres.close();
    postgres.close();

    assertThat(postgres.dataDirectory()).doesNotExist();
  }

  @Test
  void a_given_directory_outlives_the_server_and_is_used_again(@TempDir Path directory)
      throws Exception {
    Path data = directory.resolve("data");
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().version(18).dataDirectory(data).start()) {
      Sql.execute(postgres.dataSource(), "CREATE TABLE kept (id int)");
    }
    assertThat(Files.exists(data.resolve("postmaster.pid"))).isFalse();

    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().version(18).dataDirectory(data).start()) {
      assertThat(Sql.value(postgres.dataSource(), "SELECT count(*) FROM kept")).isEqualTo("0");
    }
    assertThatThrownBy(() -> EmbeddedPostgres.builder().version(16).dataDirectory(data).start())
        .hasMessageContaining("holds data of PostgreSQL 18")
        .hasMessageContaining("version(18)");
  }

  @Test
  void a_server_that_does_not_start_says_why() {
    assertThatThrownBy(() -> EmbeddedPostgres.builder().setting("shared_buffers", "a lot").start())
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("did not start")
        .hasMessageContaining("invalid value for parameter \"shared_buffers\"");
  }

  @Test
  void a_given_port_that_is_taken_is_an_error() {
    int taken = EmbeddedPostgres.shared().port();

    assertThatThrownBy(() -> EmbeddedPostgres.builder().port(taken).start())
        .hasMessageContaining("could not bind");
  }

  private static String valueOn(Connection connection) {
    try {
      return Sql.value(connection, "SELECT 42");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String valueOn(String url) {
    try (Connection connection = DriverManager.getConnection(url)) {
      return Sql.value(connection, "SELECT 42");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class PgBouncerTest {
  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();

  @Test
  void clients_share_a_server_connection_transaction_by_transaction() throws Exception {
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).poolSize(1).start();
        Connection one = bouncer.dataSource("postgres").getConnection();
        Connection two = bouncer.dataSource("postgres").getConnection()) {
      String backend = "SELECT pg_backend_pid()";

      assertThat(Sql.value(one, backend)).isEqualTo(Sql.value(two, backend));
    }
  }

  @Test
  void a_transaction_keeps_its_server_connection_and_others_wait_for_it() throws Exception {
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).poolSize(1).start();
        Connection holder = bouncer.dataSource("postgres").getConnection();
        Connection waiter = bouncer.dataSource("postgres").getConnection()) {
      holder.setAutoCommit(false);
      Sql.execute(holder, "SELECT 1");
      CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> value(waiter));
      assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);

      holder.commit();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("42");
    }
  }

  @Test
  void every_database_of_the_server_can_be_reached() throws Exception {
    String database = postgres.freshDatabase();
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).start()) {
      assertThat(Sql.value(bouncer.dataSource(database), "SELECT current_database()"))
          .isEqualTo(database);
    }
  }

  @Test
  void killed_it_comes_back_on_the_same_port() throws Exception {
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).start()) {
      try (Connection connection = bouncer.dataSource("postgres").getConnection()) {
        bouncer.kill();
        assertThatThrownBy(() -> Sql.execute(connection, "SELECT 1"))
            .isInstanceOf(SQLException.class);
      }
      bouncer.start();
      assertThat(Sql.value(bouncer.dataSource("postgres"), "SELECT 42")).isEqualTo("42");
    }
  }

  @Test
  void frozen_it_passes_nothing_until_thawed() throws Exception {
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).start();
        Connection connection = bouncer.dataSource("postgres").getConnection()) {
      bouncer.freeze();
      CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> value(connection));
      assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);

      bouncer.thaw();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("42");
    }
  }

  @Test
  void a_missing_program_is_named_with_its_package_and_variable() {
    System.setProperty("posthorn.pgbouncer", "/nowhere/pgbouncer");
    try {
      assertThatThrownBy(() -> PgBouncer.inFrontOf(postgres.port()).start())
          .hasMessageContaining("/nowhere/pgbouncer")
          .hasMessageContaining("apt-get install pgbouncer")
          .hasMessageContaining("POSTHORN_PGBOUNCER");
    } finally {
      System.clearProperty("posthorn.pgbouncer");
    }
  }

  @Test
  void one_that_does_not_start_says_why() {
    assertThatThrownBy(
            () -> PgBouncer.inFrontOf(postgres.port()).setting("pool_mode", "none").start())
        .hasMessageContaining("did not start")
        .hasMessageContaining("pool_mode");
  }

  private static String value(Connection connection) {
    try {
      return Sql.value(connection, "SELECT 42");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.posthorn.sight;

import static io.posthorn.sight.Canary.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The password of the database is the secret, and the server really asks for it. */
class CanaryDatabaseTest {
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.builder().start();
  private static final String URL =
      "jdbc:postgresql://127.0.0.1:%d/shop?sslmode=disable".formatted(SERVER.port());
  private static final String WRONG = SECRET + "-was-changed";

  @BeforeAll
  static void askForPasswords() throws IOException {
    administer("CREATE ROLE app LOGIN");
    administer("CREATE DATABASE shop OWNER app");
    Path rules = SERVER.dataDirectory().resolve("pg_hba.conf");
    Files.writeString(rules, "host all app 127.0.0.1/32 scram-sha-256\n" + Files.readString(rules));
    administer("SELECT pg_reload_conf()");
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @BeforeEach
  void password() {
    password(SECRET);
    await().until(() -> catchThrowable(() -> connect(WRONG)) != null);
  }

  private static void administer(String sql) {
    try (Connection connection = SERVER.dataSource().getConnection()) {
      connection.createStatement().execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void password(String password) {
    administer("ALTER ROLE app PASSWORD '%s'".formatted(password));
  }

  private static void connect(String password) throws SQLException {
    DriverManager.getConnection(URL, "app", password).close();
  }

  private static HikariDataSource pool(String password) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(URL);
    config.setUsername("app");
    config.setPassword(password);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(500);
    return new HikariDataSource(config);
  }

  @Test
  void a_password_that_is_refused_shows_nowhere() {
    try (HikariDataSource pool = pool(WRONG)) {
      Throwable thrown =
          catchThrowable(() -> Relay.on(PostgresqlStore.on(pool), "shop", "test").build().start());
      assertThat(thrown).hasStackTraceContaining("password authentication failed");
      Canary.assertSilent("thrown", thrown);
    }
    String printed =
        Cli.posthorn(
            "status", "--url", URL, "--user", "app", "--password", WRONG, "--stacktrace", "-v");
    assertThat(printed).contains("password authentication failed");
    Canary.assertSilent("posthorn status", printed);
    Canary.assertSilent("logs", CapturedLogs.lines());
  }

  @Test
  void a_password_that_is_changed_under_a_running_relay_shows_nowhere() {
    try (HikariDataSource pool = pool(SECRET)) {
      new Migrations(Tables.DEFAULT).migrate(pool);
      Relay relay = Relay.on(PostgresqlStore.on(pool), "shop", "test").build().start();
      try {
        int before = CapturedLogs.lines().size();
        password(WRONG);
        administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
        await()
            .untilAsserted(
                () ->
                    assertThat(catchThrowable(pool::getConnection))
                        .hasStackTraceContaining("password authentication failed"));
        await().until(() -> later(before).stream().anyMatch(CanaryDatabaseTest::isOurWarning));
      } finally {
        password(SECRET);
        relay.close();
      }
    }
    Canary.assertSilent("logs", CapturedLogs.lines());
  }

  private static List<LogLine> later(int before) {
    List<LogLine> all = CapturedLogs.lines();
    return all.subList(before, all.size());
  }

  private static boolean isOurWarning(LogLine line) {
    return line.logger().startsWith("io.posthorn") && line.level() == org.slf4j.event.Level.WARN;
  }

  @Test
  void the_driver_logs_no_password_at_any_level_if_it_is_not_in_the_address() throws Exception {
    try (DriverLogs logs = new DriverLogs(Level.FINEST)) {
      connect(SECRET);
      assertThat(catchThrowable(() -> connect(WRONG))).isNotNull();
      assertThat(logs.lines()).anyMatch(line -> line.contains(URL));
      Canary.assertSilent("driver", logs.lines());
    }
  }

  @Test
  void the_driver_logs_no_password_of_an_address_at_the_usual_level() throws Exception {
    try (DriverLogs logs = new DriverLogs(Level.INFO)) {
      DriverManager.getConnection(URL + "&user=app&password=" + SECRET).close();
      assertThat(
              catchThrowable(
                  () -> DriverManager.getConnection(URL + "&user=app&password=" + WRONG)))
          .isNotNull();
      Canary.assertSilent("driver", logs.lines());
    }
  }
}

package io.posthorn.cli.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.posthorn.cli.Ran;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that asks for the password lets a command in, whatever place the password is in. */
class PasswordTest {
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.builder().start();
  private static final String PGPASSFILE = "org.postgresql.pgpassfile";

  private final Map<String, String> variables = new HashMap<>();
  @TempDir private Path home;

  @BeforeAll
  static void askForPasswords() throws IOException, SQLException {
    Files.writeString(
        SERVER.dataDirectory().resolve("pg_hba.conf"),
        """
        host all ops all scram-sha-256
        host all all all trust
        """);
    try (Connection connection = SERVER.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE ops LOGIN PASSWORD 's3cret'");
      statement.execute("GRANT CREATE ON SCHEMA public TO ops");
      statement.execute("SELECT pg_reload_conf()");
    }
    Awaitility.await()
        .until(() -> Ran.posthorn("schema", "migrate", "--url", url(), "--user=ops").code() == 1);
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static String url() {
    return SERVER.jdbcUrl();
  }

  private Ran migrate(String... where) {
    String[] args = new String[where.length + 2];
    args[0] = "schema";
    args[1] = "migrate";
    System.arraycopy(where, 0, args, 2, where.length);
    return Ran.posthorn(variables, home, args);
  }

  private void assertIn(String... where) {
    Ran ran = migrate(where);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
  }

  private Path file(String name, String mode, String... lines) throws IOException {
    Path file = home.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(lines));
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void the_password_comes_from_a_variable() {
    variables.put("POSTHORN_URL", url());
    variables.put("POSTHORN_USER", "ops");
    assertThat(migrate().err()).contains("no password", "password not given");
    variables.put("PGPASSWORD", "s3cret");
    assertIn();
    variables.put("POSTHORN_PASSWORD", "wrong");
    assertThat(migrate().err()).contains("password from POSTHORN_PASSWORD");
    variables.put("MINE", "s3cret");
    assertIn("--password-env", "MINE");
    assertIn("--password=s3cret");
  }

  @Test
  void the_password_comes_from_a_file() throws IOException {
    file(
        ".config/posthorn/profiles.properties",
        "rw-r--r--",
        "p.url=" + url(),
        "p.user=ops",
        "p.password-file=~/password");
    Path password = file("password", "rw-------", "s3cret");
    assertIn("--profile", "p");
    assertIn("--url", url(), "--user", "ops", "--password-file", password.toString());
    file("password", "rw-r-----", "s3cret");
    Ran refused = migrate("--profile", "p");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("Run: chmod 600 " + password);
  }

  @Test
  void the_password_file_may_be_a_pipe_which_can_be_read_only_once() throws Exception {
    file(
        ".config/posthorn/profiles.properties",
        "rw-r--r--",
        "p.url=" + url(),
        "p.user=ops",
        "p.protected=true");
    for (String[] where :
        new String[][] {
          {"--url", url(), "--user", "ops"}, {"--profile", "p", "--confirm", "p"},
        }) {
      Path pipe = home.resolve("pipe-for" + where[0]);
      assertThat(new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor())
          .isZero();
      Process writer =
          new ProcessBuilder("sh", "-c", "echo s3cret > \"$1\"", "sh", pipe.toString()).start();
      try {
        String[] args = Arrays.copyOf(where, where.length + 2);
        args[where.length] = "--password-file";
        args[where.length + 1] = pipe.toString();
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> assertIn(args));
      } finally {
        writer.destroyForcibly();
      }
    }
  }

  @Test
  void the_password_comes_from_the_password_file_of_postgresql() throws IOException {
    Path file = file("pgpass", "rw-------", "*:*:*:ops:s3cret");
    System.setProperty(PGPASSFILE, file.toString());
    try {
      assertIn("--url", url(), "--user", "ops");
    } finally {
      System.clearProperty(PGPASSFILE);
    }
    assertThat(migrate("--url", url(), "--user", "ops").code()).isEqualTo(1);
  }
}

package io.posthorn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.Ports;
import java.io.IOException;
import java.net.ConnectException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts what was built: the distribution is unpacked, and its programs run as users run them. */
class DistributionIT {
  private static final String VERSION = System.getProperty("posthorn.version");
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int USAGE = 2;
  private static final int FOUND = 6;

  @TempDir static Path directory;
  private static Path home;

  @BeforeAll
  static void unpack() throws Exception {
    Path built = Path.of(System.getProperty("posthorn.dist"));
    Path archive = built.resolve("posthorn-%s.tar.gz".formatted(VERSION));
    assertThat(run("tar", "-xzf", archive.toString(), "-C", directory.toString()).code()).isZero();
    home = directory.resolve("posthorn-" + VERSION);
  }

  @Test
  void the_server_delivers_what_sql_adds_and_stops_without_holding_a_lane() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    Sql sql = new Sql(postgres.dataSource(database));
    sql.migrate();
    try (Hooks hooks = new Hooks()) {
      int port = Ports.free();
      Path file = file(postgres.port(), database, port, hooks);
      Path secret = Files.writeString(directory.resolve("partner.secret"), Hooks.SECRET);
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
      Files.writeString(
          file,
          Files.readString(file)
              .replace("secrets: " + Hooks.SECRET, "secrets-file: " + secret.getFileName()));
      Path log = directory.resolve("server.log");
      Process server = start(log, "server", "--config", file.toString());
      try {
        await().atMost(LONG).until(() -> status(port, "/readyz") == 200);
        sql.add("OrderPlaced");
        await().atMost(LONG).until(() -> hooks.types().equals(List.of("OrderPlaced")));
        assertThat(sql.lanesHeld()).isPositive();

        // SIGTERM
        server.destroy();
        assertThat(server.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isZero();
        assertThat(sql.lanesHeld()).isZero();
      } finally {
        server.destroyForcibly();
      }
      List<String> lines = Files.readAllLines(log);
      ObjectMapper json = new ObjectMapper();
      for (String line : lines) {
        assertThat(json.readTree(line).path("message").asText()).isNotEmpty();
      }
      assertThat(lines).anyMatch(line -> line.contains("Posthorn has stopped"));
      assertThat(lines).filteredOn(line -> line.contains("chmod o-r " + secret)).hasSize(1);
      assertThat(String.join("\n", lines)).doesNotContain(Hooks.SECRET);
    }
  }

  @Test
  void the_http_api_is_served_behind_a_login_with_the_password_of_the_first_start()
      throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    new Sql(postgres.dataSource(database)).migrate();
    try (Hooks hooks = new Hooks()) {
      int port = Ports.free();
      int api = Ports.free();
      Path file = file(postgres.port(), database, port, hooks);
      Files.writeString(file, Files.readString(file) + "\nhttp:\n  port: " + api + "\n");
      Path log = directory.resolve("api.log");
      Process server = start(log, "server", "--config", file.toString());
      try {
        await().atMost(LONG).until(() -> status(api, "/api/v1/databases") == 401);
        Matcher password =
            Pattern.compile("with the password ([\\w-]+)").matcher(Files.readString(log));
        assertThat(password.find()).isTrue();
        HttpClient browser = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        assertThat(login(browser, api, "wrong password")).endsWith("/login?error");
        assertThat(login(browser, api, password.group(1))).endsWith(":%d/".formatted(api));
        assertThat(get(browser, api, "/api/v1/databases").body()).contains("ADMINISTER");
        HttpClient other = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        assertThat(login(other, api, password.group(1))).as("a second time").endsWith("?error");
      } finally {
        server.destroyForcibly();
      }
    }
  }

  private static HttpResponse<String> get(HttpClient client, int port, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(port, path));
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Returns where the login leads to. */
  private static String login(HttpClient client, int port, String password)
      throws IOException, InterruptedException {
    Matcher token =
        Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"")
            .matcher(get(client, port, "/login").body());
    assertThat(token.find()).isTrue();
    String form =
        "username=admin&password=%s&_csrf=%s"
            .formatted(URLEncoder.encode(password, StandardCharsets.UTF_8), token.group(1));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/login".formatted(port)))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    return client
        .send(request, HttpResponse.BodyHandlers.discarding())
        .headers()
        .firstValue("location")
        .orElse("");
  }

  @Test
  void a_token_and_the_hash_of_a_password_are_made_by_commands() throws Exception {
    Ran token = run(home.resolve("bin/posthorn").toString(), "server", "token");
    assertThat(token.code()).isZero();
    assertThat(token.out()).containsPattern("token posthorn_[\\w-]{43}\\s+hash  [0-9a-f]{64}");
  }

  @Test
  @Tag("slow")
  void a_second_signal_ends_it_at_once() throws Exception {
    // The receiver never answers, so a graceful stop waits for it.
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    Sql sql = new Sql(postgres.dataSource(database));
    sql.migrate();
    try (java.net.ServerSocket silent =
            new java.net.ServerSocket(0, 5, java.net.InetAddress.getLoopbackAddress());
        Hooks hooks = new Hooks()) {
      int port = Ports.free();
      Path file = file(postgres.port(), database, port, hooks);
      Files.writeString(
          file,
          Files.readString(file)
              .replace(hooks.url(), "http://127.0.0.1:%d/".formatted(silent.getLocalPort())));
      Path log = directory.resolve("second.log");
      Process server = start(log, "server", "--config", file.toString());
      try {
        await().atMost(LONG).until(() -> status(port, "/readyz") == 200);
        await().atMost(LONG).until(() -> sql.lanesHeld() > 0);
        sql.add("OrderPlaced");
        try (java.net.Socket request = request(silent)) {
          assertThat(request.isConnected()).isTrue();
          server.destroy();
          await().atMost(LONG).until(() -> Files.readString(log).contains("Posthorn stops"));
          server.destroy();
          assertThat(server.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(server.exitValue()).isEqualTo(143);
        assertThat(Files.readString(log)).doesNotContain("Posthorn has stopped");
      } finally {
        server.destroyForcibly();
      }
    }
  }

  /** The connection with the message: the relay also checks the receiver, by OPTIONS. */
  private static java.net.Socket request(java.net.ServerSocket silent) throws Exception {
    while (true) {
      java.net.Socket accepted = silent.accept();
      if (accepted.getInputStream().read() == 'P') {
        return accepted;
      }
      accepted.close();
    }
  }

  @Test
  void a_check_prints_a_table_and_delivers_nothing() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    Sql sql = new Sql(postgres.dataSource(database));
    sql.migrate();
    try (Hooks hooks = new Hooks()) {
      Path file = file(postgres.port(), database, Ports.free(), hooks);
      Ran ran = posthorn("server", "--config", file.toString(), "--check");
      assertThat(ran.code()).as(ran.all()).isZero();
      assertThat(ran.out()).contains("DATABASE").contains("PostgreSQL").contains("partner");
      assertThat(ran.all()).doesNotContain(Hooks.SECRET);
      assertThat(sql.lanesHeld()).isZero();

      Path down = file(Ports.free(), database, Ports.free(), hooks);
      Ran failed = posthorn("server", "--config", down.toString(), "--check");
      assertThat(failed.code()).as(failed.all()).isEqualTo(FOUND);
      assertThat(failed.out()).contains("PROBLEM");
      assertThat(failed.err()).contains("1 of 2 checks found a problem");
    }
  }

  @Test
  void without_a_file_it_says_what_to_do() throws Exception {
    Ran ran = posthorn("server");
    assertThat(ran.code()).isEqualTo(USAGE);
    assertThat(ran.err()).contains("has no configuration").contains("environment: production");
  }

  @Test
  void a_file_with_problems_is_refused_with_their_places() throws Exception {
    Path file = Files.writeString(directory.resolve("bad.yaml"), "environmnt: test\n");
    Ran ran = posthorn("server", "--config", file.toString());
    assertThat(ran.code()).isEqualTo(USAGE);
    assertThat(ran.err())
        .contains(file + ":1:1: environmnt: unknown key. Did you mean 'environment'?")
        .contains("has 3 problems.");
  }

  @Test
  void the_jar_has_the_command_line_too() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    String url =
        "jdbc:postgresql://127.0.0.1:%d/%s?sslmode=disable".formatted(postgres.port(), database);
    Path jar = home.resolve("lib/posthorn-%s.jar".formatted(VERSION));

    Ran version = jar(jar, "--version");
    assertThat(version.code()).isZero();
    assertThat(version.out()).contains("posthorn " + VERSION);
    Ran migrated = jar(jar, "schema", "migrate", "--url", url, "--user", "postgres");
    assertThat(migrated.code()).as(migrated.all()).isZero();
    Ran status = jar(jar, "status", "--url", url, "--user", "postgres");
    assertThat(status.code()).as(status.all()).isZero();
    assertThat(status.err()).isEmpty();
    assertThat(jar(jar, "--help").out()).contains("server").contains("dead").contains("status");
  }

  @Test
  void the_archive_has_what_belongs_to_it() {
    assertThat(home.resolve("bin/posthorn")).isExecutable();
    for (String file :
        List.of(
            "LICENSE",
            "NOTICE",
            "conf/posthorn.yaml.example",
            "conf/posthorn.schema.json",
            "systemd/posthorn.service",
            "licences/THIRD-PARTY.txt")) {
      assertThat(home.resolve(file)).isNotEmptyFile();
    }
    assertThat(home.resolve("licences/THIRD-PARTY.txt"))
        .content()
        .contains("HikariCP", "spring-boot", "logback-classic", "postgresql");
  }

  private static Path file(int postgres, String database, int port, Hooks hooks)
      throws IOException {
    return Files.writeString(
        directory.resolve(database + ".yaml"),
        """
        environment: test
        logging: json
        management:
          port: %d
        databases:
          shop:
            url: jdbc:postgresql://127.0.0.1:%d/%s?sslmode=disable
            user: postgres
            destinations:
              partner:
                types: [OrderPlaced]
                webhook:
                  url: %s
                  secrets: %s
                  plain-http: true
                  allow-networks: 127.0.0.0/8
        """
            .formatted(port, postgres, database, hooks.url(), Hooks.SECRET));
  }

  private static int status(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(port, path));
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (ConnectException e) {
      return 0; // not yet
    }
  }

  private record Ran(int code, String out, String err) {
    String all() {
      return out + err;
    }
  }

  private static Process start(Path log, String... args) throws IOException {
    return new ProcessBuilder(command(home.resolve("bin/posthorn").toString(), args))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static Ran posthorn(String... args) throws Exception {
    return run(command(home.resolve("bin/posthorn").toString(), args).toArray(String[]::new));
  }

  private static Ran jar(Path jar, String... args) throws Exception {
    List<String> command =
        command(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar");
    command.add(jar.toString());
    command.addAll(List.of(args));
    return run(command.toArray(String[]::new));
  }

  private static List<String> command(String program, String... args) {
    List<String> command = new java.util.ArrayList<>(List.of(program));
    command.addAll(List.of(args));
    return command;
  }

  private static Ran run(String... command) throws Exception {
    Path out = Files.createTempFile(directory, "out", "");
    Path err = Files.createTempFile(directory, "err", "");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}

package io.posthorn.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.Ports;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what is in the image, as an unprivileged user on a read-only file system. */
class ImageIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final long MOST_BYTES = 130_000_000;

  @TempDir static Path directory;
  private static Container container;

  @BeforeAll
  static void unpack() throws Exception {
    container = Container.of(Path.of(System.getProperty("posthorn.image")), directory);
    // The temporary directory is its owner's only; the image's user must pass.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
  }

  @Test
  void it_has_the_command_line() throws Exception {
    assertThat(run("--version")).contains("posthorn " + System.getProperty("posthorn.version"));
    assertThat(run("dead", "--help")).contains("requeue");
  }

  @Test
  void it_delivers_as_an_unprivileged_user_and_stops_at_sigterm() throws Exception {
    assertThat(container.user()).isEqualTo("10001:10001");
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    List<String> bodies = new CopyOnWriteArrayList<>();
    HttpServer receiver = receiver(bodies);
    int port = Ports.free();
    Files.writeString(
        container.root().resolve("etc/posthorn/posthorn.yaml"),
        file(postgres.port(), database, port, receiver.getAddress().getPort()));
    File log = directory.resolve("server.log").toFile();
    Process server = container.start(log, container.command());
    try {
      await().atMost(LONG).until(() -> !server.isAlive() || status(port, "/readyz") == 200);
      assertThat(server.isAlive()).as(() -> text(log)).isTrue();
      add(postgres, database);
      await().atMost(LONG).until(() -> !bodies.isEmpty());
      assertThat(bodies.get(0)).isEqualTo("{\"id\": 42}");

      server.destroy();
      assertThat(server.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).as(() -> text(log)).isZero();
    } finally {
      server.destroyForcibly();
      receiver.stop(0);
    }
  }

  @Test
  void it_contains_no_shell_and_is_small() throws IOException {
    try (Stream<Path> files = Files.walk(container.root())) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      assertThat(all)
          .filteredOn(Files::isExecutable)
          .allMatch(file -> file.toString().matches(".*/(java|jspawnhelper|ld-linux[^/]*)"));
      long bytes = all.stream().mapToLong(file -> file.toFile().length()).sum();
      assertThat(bytes).isLessThan(MOST_BYTES);
    }
  }

  private static String run(String... arguments) throws Exception {
    File output = File.createTempFile("output", ".txt", directory.toFile());
    Process process = container.start(output, List.of(arguments));
    assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(() -> text(output)).isZero();
    return text(output);
  }

  private static String text(File file) {
    try {
      return Files.readString(file.toPath());
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static String file(int postgres, String database, int port, int receiver) {
    return """
        environment: test
        management:
          port: %d
        databases:
          shop:
            url: jdbc:postgresql://127.0.0.1:%d/%s?sslmode=disable
            user: postgres
            migrate: true
            destinations:
              partner:
                types: [OrderPlaced]
                webhook:
                  url: http://127.0.0.1:%d/
                  unsigned: true
                  plain-http: true
                  allow-networks: [127.0.0.0/8]
        """
        .formatted(port, postgres, database, receiver);
  }

  private static HttpServer receiver(List<String> bodies) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          if (exchange.getRequestMethod().equals("POST")) {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static void add(EmbeddedPostgres postgres, String database) throws SQLException {
    try (Connection connection = postgres.dataSource(database).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT posthorn_add(type => 'OrderPlaced', payload => convert_to('{\"id\": 42}', 'UTF8'))");
    }
  }

  private static int status(int port, String path) throws Exception {
    try {
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                  .build(),
              BodyHandlers.discarding())
          .statusCode();
    } catch (ConnectException e) {
      return 0;
    }
  }
}

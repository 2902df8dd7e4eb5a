package io.posthorn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.server.Sql;
import io.posthorn.server.database.Databases;
import io.posthorn.server.file.FileReader;
import io.posthorn.server.file.HttpSettings;
import io.posthorn.server.file.ServerFile;
import io.posthorn.server.management.ManagementServer;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server's HTTP API on a fresh database {@code shop}; its relay does not run. */
final class RunningServer implements AutoCloseable {
  private final Databases databases;
  private final HttpServer server;

  RunningServer(Path directory, String http) throws IOException {
    String name = EmbeddedPostgres.shared().freshDatabase();
    new Sql(EmbeddedPostgres.shared().dataSource(name)).migrate();
    String text =
        """
        environment: test
        management: {port: 0}
        databases:
          shop:
            url: %s
            user: postgres
            accept-types: [OrderPlaced]
            destinations:
              partner:
                types: [OrderPlaced]
                webhook: {url: "http://127.0.0.1:1/", plain-http: true, unsigned: true}
          secret:
            url: %s
            user: postgres
            destinations:
              partner:
                types: [OrderPlaced]
                webhook: {url: "http://127.0.0.1:1/", plain-http: true, unsigned: true}
        """
                .formatted(url(name), url(name))
            + http;
    Path file = Files.writeString(directory.resolve("posthorn.yaml"), text);
    FileReader.Result read = FileReader.read(file, Map.of());
    assertThat(read.problems()).isEmpty();
    ServerFile settings = Objects.requireNonNull(read.settings());
    HttpSettings own = Objects.requireNonNull(settings.http());
    this.databases = new Databases(settings, ManagementServer.registry());
    this.server = HttpServer.start(settings, own, databases.operated());
  }

  private static String url(String name) {
    return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(EmbeddedPostgres.shared().port(), name);
  }

  int port() {
    return server.port();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** A client with its own cookies, which follows no redirect. */
  Client client() {
    return new Client();
  }

  final class Client {
    private final HttpClient http =
        HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    HttpResponse<String> send(String method, String path, String body, String... headers)
        throws IOException, InterruptedException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri(path))
              .method(
                  method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
      if (headers.length > 0) {
        request.headers(headers);
      }
      return http.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path, String... headers)
        throws IOException, InterruptedException {
      return send("GET", path, "", headers);
    }

    String csrf() throws IOException, InterruptedException {
      Matcher token =
          Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"").matcher(get("/login").body());
      assertThat(token.find()).isTrue();
      return token.group(1);
    }

    HttpResponse<String> login(String name, String password)
        throws IOException, InterruptedException {
      return send(
          "POST",
          "/login",
          "username=%s&password=%s&_csrf=%s"
              .formatted(
                  URLEncoder.encode(name, StandardCharsets.UTF_8),
                  URLEncoder.encode(password, StandardCharsets.UTF_8),
                  csrf()),
          "Content-Type",
          "application/x-www-form-urlencoded");
    }
  }

  @Override
  public void close() {
    server.close();
    databases.stop();
  }
}

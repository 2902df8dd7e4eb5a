package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Prometheus, which scrapes one endpoint and evaluates its rules every second. It dies with this
 * JVM, however that ends.
 */
public final class Prometheus implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(30);

  private static final String CONFIG =
      """
      global:
        scrape_interval: 1s
        scrape_timeout: 1s
        evaluation_interval: 1s
      rule_files: [rules.yml]
      scrape_configs:
        - job_name: test
          static_configs:
            - targets: ["127.0.0.1:%d"]
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path directory;
  private final Process process;
  private final int port = Ports.free();
  private final Runnable atExit = this::close;

  private Prometheus(Path program, Path directory) {
    this.directory = directory;
    AtExit.first(atExit);
    this.process =
        Child.start(
            new ProcessBuilder(
                    program.toString(),
                    "--config.file=" + directory.resolve("prometheus.yml"),
                    "--storage.tsdb.path=" + directory.resolve("data"),
                    "--web.listen-address=127.0.0.1:" + port,
                    "--log.level=warn")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile()));
  }

  /** Starts one that scrapes {@code /metrics} on this port; returns when it answers queries. */
  public static Prometheus scraping(int port, String rules) {
    Path program = Promtool.program().resolveSibling("prometheus");
    if (!Files.isExecutable(program)) {
      throw Promtool.notFound("prometheus", String.valueOf(program.getParent()));
    }
    Path directory = Scratch.directory("prometheus");
    try {
      Files.writeString(directory.resolve("prometheus.yml"), CONFIG.formatted(port));
      Files.writeString(directory.resolve("rules.yml"), rules);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Prometheus started = new Prometheus(program, directory);
    Waiting.holdsWithin(READY_WITHIN, () -> !started.process.isAlive() || started.isReady());
    if (!started.isReady()) {
      String log = started.log();
      started.close();
      throw new TestServerException("Prometheus did not start. Its log:\n" + log);
    }
    return started;
  }

  /** Returns the API's current answer to a query, as JSON. */
  public String query(String promql) {
    return get("/api/v1/query?query=" + URLEncoder.encode(promql, StandardCharsets.UTF_8));
  }

  /** Returns all pending and firing alerts, as JSON. */
  public String alerts() {
    return get("/api/v1/alerts");
  }

  private String get(String path) {
    try {
      return http.send(request(path), BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new TestServerException("Prometheus did not answer " + path + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while asking " + path, e);
    }
  }

  private boolean isReady() {
    try {
      return http.send(request("/-/ready"), BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(10))
        .build();
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("log"));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }

  @Override
  public void close() {
    AtExit.forget(atExit);
    Processes.kill(process);
    Scratch.remove(directory);
  }
}

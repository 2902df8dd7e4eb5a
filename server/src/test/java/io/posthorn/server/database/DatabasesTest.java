package io.posthorn.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.server.Hooks;
import io.posthorn.server.Sql;
import io.posthorn.server.database.DatabaseState.Phase;
import io.posthorn.server.file.FileReader;
import io.posthorn.server.file.ServerFile;
import io.posthorn.server.management.ManagementServer;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabasesTest {
  private static final Duration LONG = Duration.ofSeconds(90);

  @TempDir Path directory;

  @Test
  @Tag("slow")
  void a_database_that_is_killed_harms_no_other_and_goes_on_when_it_is_back() throws Exception {
    try (Hooks hooks = new Hooks();
        EmbeddedPostgres stable = EmbeddedPostgres.builder().start();
        EmbeddedPostgres killed = EmbeddedPostgres.builder().start()) {
      PrometheusMeterRegistry registry = ManagementServer.registry();
      ServerFile file =
          file(database("stable", stable.port(), hooks) + database("killed", killed.port(), hooks));
      Databases databases = new Databases(file, registry);
      try (ManagementServer management = ManagementServer.start(file, databases, registry)) {
        assertThat(get(management, "/livez").statusCode()).isEqualTo(200);
        assertThat(get(management, "/readyz").statusCode()).isEqualTo(503);
        databases.start();
        awaitPhases(databases, Phase.RUNNING, Phase.RUNNING);

        killed.kill();
        awaitPhases(databases, Phase.RUNNING, Phase.UNREACHABLE);
        new Sql(stable.dataSource()).add("WhileTheOtherIsDown");
        await().atMost(LONG).until(() -> hooks.types().contains("WhileTheOtherIsDown"));
        HttpResponse<String> ready = get(management, "/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).isEqualTo("ready\nstable: running\nkilled: unreachable\n");
        assertThat(get(management, "/metrics").body())
            .contains("outbox_database_up{database=\"stable\"} 1.0")
            .contains("outbox_database_up{database=\"killed\"} 0.0")
            .contains("database=\"stable\",destination=\"partner\"")
            .contains("jvm_memory_used_bytes");

        killed.start();
        awaitPhases(databases, Phase.RUNNING, Phase.RUNNING);
        new Sql(killed.dataSource()).add("AfterItsReturn");
        await().atMost(LONG).until(() -> hooks.types().contains("AfterItsReturn"));

        databases.stop();
        assertThat(get(management, "/livez").statusCode()).isEqualTo(200);
        assertThat(get(management, "/readyz").statusCode()).isEqualTo(503);
        assertThat(new Sql(stable.dataSource()).lanesHeld()).isZero();
        assertThat(new Sql(killed.dataSource()).lanesHeld()).isZero();
      }
    }
  }

  @Test
  void a_database_that_is_not_there_at_the_start_is_served_as_soon_as_it_is() throws Exception {
    try (Hooks hooks = new Hooks();
        EmbeddedPostgres late = EmbeddedPostgres.builder().start()) {
      late.stop();
      Databases databases =
          new Databases(file(database("late", late.port(), hooks)), ManagementServer.registry());
      databases.start();
      awaitPhases(databases, Phase.NOT_STARTED);
      assertThat(databases.ready()).isFalse();

      late.start();
      awaitPhases(databases, Phase.RUNNING);
      new Sql(late.dataSource()).add("Late");
      await().atMost(LONG).until(() -> hooks.types().contains("Late"));
      databases.stop();
    }
  }

  @Test
  void a_database_of_another_environment_is_not_served_and_says_so() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String name = postgres.freshDatabase();
    try (Hooks hooks = new Hooks()) {
      String text = database("shop", postgres.port(), hooks).replace("/postgres", "/" + name);
      Databases first = new Databases(file(text), ManagementServer.registry());
      first.start();
      awaitPhases(first, Phase.RUNNING);
      first.stop();

      ServerFile copy = file(text, "staging");
      Databases other = new Databases(copy, ManagementServer.registry());
      other.start();
      awaitPhases(other, Phase.NOT_STARTED);
      assertThat(other.states().get(0).why()).contains("production").contains("staging");
      other.stop();
      assertThat(DatabaseCheck.of(copy)).extracting(DatabaseCheck.Result::good).contains(false);
    }
  }

  @Test
  void a_check_tries_databases_and_destinations_and_shows_no_secret() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String name = postgres.freshDatabase();
    new Sql(postgres.dataSource(name)).migrate();
    try (Hooks hooks = new Hooks()) {
      String good = database("good", postgres.port(), hooks).replace("/postgres", "/" + name);
      String down = database("down", 1, hooks).replace("migrate: true", "password: hunter2");
      List<DatabaseCheck.Result> results = DatabaseCheck.of(file(good + down));

      assertThat(results)
          .extracting(one -> one.database() + "/" + one.destination() + " " + one.good())
          .containsExactly("good/ true", "good/partner true", "down/ false", "down/partner true");
      assertThat(results.toString()).doesNotContain("hunter2").doesNotContain(Hooks.SECRET);
      assertThat(new Sql(postgres.dataSource(name)).environment()).isNull();
    }
  }

  private static void awaitPhases(Databases databases, Phase... phases) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(databases.states())
                    .extracting(DatabaseState::phase)
                    .containsExactly(phases));
  }

  private static HttpResponse<String> get(ManagementServer management, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(management.port(), path));
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String database(String name, int port, Hooks hooks) {
    return """
      %s:
        url: jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable
        user: postgres
        migrate: true
        destinations:
          partner:
            types: "*"
            webhook:
              url: %s
              secrets: %s
              plain-http: true
              allow-networks: 127.0.0.0/8
    """
        .formatted(name, port, hooks.url(), Hooks.SECRET);
  }

  private ServerFile file(String databases) throws IOException {
    return file(databases, "production");
  }

  private ServerFile file(String databases, String environment) throws IOException {
    Path path = directory.resolve("posthorn.yaml");
    Files.writeString(
        path,
        "environment: %s\nmanagement:\n  port: 0\ndatabases:\n%s"
            .formatted(environment, databases.indent(2)));
    FileReader.Result read = FileReader.read(path, Map.of());
    assertThat(read.problems()).isEmpty();
    return Objects.requireNonNull(read.settings());
  }
}

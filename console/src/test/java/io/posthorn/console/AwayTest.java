package io.posthorn.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A database that hangs. */
class AwayTest {
  @Test
  void a_database_that_does_not_answer_is_shown_as_that_within_two_seconds() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      PostgresqlStore hangs = PostgresqlStore.on(server.dataSource());
      hangs.migrate();
      EmbeddedPostgres other = EmbeddedPostgres.shared();
      PostgresqlStore answers = PostgresqlStore.on(other.dataSource(other.freshDatabase()));
      answers.migrate();
      try (TestConsole console =
          TestConsole.over(
              0,
              OperatedDatabase.of("hangs", "test", hangs),
              OperatedDatabase.of("answers", "test", answers))) {
        HttpClient client = HttpClient.newHttpClient();
        get(client, console, "/hangs");
        get(client, console, "/answers");
        server.freeze();
        try {
          for (String path :
              List.of(
                  "/hangs/dead",
                  "/hangs/messages",
                  "/hangs/audit",
                  "/hangs/relays",
                  "/hangs/operations",
                  "/hangs/destinations",
                  "/hangs",
                  "/")) {
            long began = System.nanoTime();
            HttpResponse<String> answer = get(client, console, path);
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            assertThat(answer.body()).as(path).contains("does not answer");
            assertThat(took).as(path).isLessThan(Duration.ofMillis(2_500));
          }
          assertThat(get(client, console, "/answers").statusCode()).isEqualTo(200);
        } finally {
          server.thaw();
        }
      }
    }
  }

  private static HttpResponse<String> get(HttpClient client, TestConsole console, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(console.url() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}

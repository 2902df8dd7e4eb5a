package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Actuator's endpoints over HTTP. */
class ActuatorTest {
  private static App app;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Destination mail() {
      return Destination.named("mail", new Post()).types("Noted").build();
    }
  }

  private static final class Post implements Connector {
    private static volatile boolean closed;

    @Override
    public void send(List<Message> messages, Answers answers) {
      Reason reason = Reason.of(Reason.UNREACHABLE, "the post office is closed");
      for (int i = 0; i < messages.size(); i++) {
        answers.answer(i, closed ? Outcome.unavailable(reason) : Outcome.SENT);
      }
    }

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }

  @BeforeAll
  static void start() {
    app =
        App.start(
            Shop.class,
            "spring.main.web-application-type=servlet",
            "server.address=127.0.0.1",
            "server.port=0",
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  /** Resets the state, whichever test ran before and however it ended. */
  @BeforeEach
  void settle() throws Exception {
    Post.closed = false;
    steer("mail", "{\"action\": \"resume\", \"why\": \"the next test\"}");
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              assertThat(health()).contains("\"status\":\"UP\"");
              assertThat(get("/actuator/posthorn")).contains("\"pending\":0");
            });
  }

  @Test
  void health_is_degraded_while_a_destination_does_not_answer_and_the_application_stays_up()
      throws Exception {
    Post.closed = true;
    app.inTransaction(tx -> app.outbox().add(noted("waits")));

    await()
        .untilAsserted(
            () ->
                assertThat(health())
                    .contains(
                        "\"status\":\"DEGRADED\"",
                        "it does not answer: UNREACHABLE: the post office is closed"));
    assertThat(send(HttpRequest.newBuilder(uri("/actuator/health"))).statusCode()).isEqualTo(200);

    Post.closed = false;
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(health()).contains("\"status\":\"UP\""));
  }

  @Test
  void a_destination_is_paused_and_resumed_and_it_is_audited() throws Exception {
    assertThat(steer("mail", "{\"action\": \"pause\", \"why\": \"the mail server moves\"}").body())
        .isEqualTo("{\"destination\":\"mail\",\"paused\":true,\"changed\":true}");
    assertThat(get("/actuator/posthorn")).contains("\"why\":\"the mail server moves\"");

    app.inTransaction(tx -> app.outbox().add(noted("waits")));
    assertThat(get("/actuator/posthorn")).contains("\"pending\":1");

    assertThat(steer("mail", "{\"action\": \"resume\", \"why\": \"it has moved\"}").body())
        .isEqualTo("{\"destination\":\"mail\",\"paused\":false,\"changed\":true}");
    await().untilAsserted(() -> assertThat(get("/actuator/posthorn")).contains("\"pending\":0"));
    assertThat(
            app.jdbc()
                .sql(
                    "SELECT action || ': ' || why FROM posthorn_audit WHERE who LIKE "
                        + "'actuator%' AND why LIKE '%move%' ORDER BY n")
                .query(String.class)
                .list())
        .containsExactly(
            "destination.pause: the mail server moves", "destination.resume: it has moved");
  }

  @Test
  void a_destination_that_does_not_exist_is_the_callers_mistake() throws Exception {
    HttpResponse<String> answer = steer("male", "{\"action\": \"pause\", \"why\": \"typing\"}");

    assertThat(answer.statusCode()).isEqualTo(400);
  }

  private static String health() throws Exception {
    return get("/actuator/health/posthorn");
  }

  private static String get(String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(path))).body();
  }

  private static HttpResponse<String> steer(String destination, String json) throws Exception {
    return send(
        HttpRequest.newBuilder(uri("/actuator/posthorn/" + destination))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    String port = app.context().getEnvironment().getProperty("local.server.port");
    return URI.create("http://127.0.0.1:" + port + path);
  }
}

package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.Destination;
import io.posthorn.spring.actuator.OutboxHealth;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Actuator's endpoints show of dead letters, messages, operations, parked ones and audit. */
class ActuatorReadTest {
  private static final Actor US = new Actor("the test", "it is part of it");
  private static App app;
  private static Operation operation;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Destination mail() {
      return Destination.named("mail", new Post()).types("Noted").build();
    }
  }

  private static final class Post implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {
      for (int i = 0; i < messages.size(); i++) {
        answers.answer(
            i,
            messages.get(i).key() == null
                ? Outcome.failedByMessage(Reason.of("HTTP_409", "not now"))
                : Outcome.rejected(Reason.of("HTTP_400", "no such address")));
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
    app = start("posthorn.environment=test");
    for (int i = 1; i <= 3; i++) {
      Message message = secret("order-" + i);
      app.inTransaction(tx -> app.outbox().add(message));
    }
    app.inTransaction(tx -> app.outbox().add(secret(null)));
    await().untilAsserted(() -> assertThat(letters()).hasSize(3));
    await()
        .untilAsserted(
            () -> assertThat(app.bean(Steering.class).parked("mail", null, 10)).hasSize(1));
    operation =
        app.bean(Operations.class)
            .start(Plan.discard(DeadLetterQuery.builder().key("nobody").build()), US);
  }

  private static App start(String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "spring.main.web-application-type=servlet",
                "server.address=127.0.0.1",
                "server.port=0",
                "management.endpoints.web.exposure.include=*"));
    all.addAll(List.of(properties));
    return App.start(Shop.class, all.toArray(String[]::new));
  }

  private static Message secret(String order) {
    Message.Builder message =
        Message.of("Noted")
            .payload("top secret".getBytes(StandardCharsets.UTF_8), "text/plain")
            .header("x-note", "hidden header");
    return (order == null ? message : message.key("order", order)).build();
  }

  private static List<DeadLetter> letters() {
    return app.bean(DeadLetters.class).list(DeadLetterQuery.waiting(), null, 10);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void dead_letters_are_listed_page_by_page_and_found_by_what_they_have() throws Exception {
    UUID second = letters().get(1).id();

    assertThat(get("/posthorndead?limit=2"))
        .contains("\"reason\":\"HTTP_400\"", "\"next\":\"" + second + "\"");
    assertThat(get("/posthorndead?limit=2&after=" + second))
        .contains("order-3", "\"next\":null")
        .doesNotContain("order-1");
    assertThat(get("/posthorndead?key=order/order-2&destination=mail&type=Noted&reason=HTTP_400"))
        .contains("order-2")
        .doesNotContain("order-1");
    assertThat(get("/posthorndead?state=requeued")).contains("\"letters\":[]");
    assertThat(get("/posthorndead?to=2001-01-01T00:00:00Z")).contains("\"letters\":[]");
  }

  @Test
  void dead_letters_are_grouped_by_cause_and_one_is_shown_with_its_history() throws Exception {
    DeadLetter first = letters().get(0);

    assertThat(get("/posthorndead/groups"))
        .contains("\"letters\":3", "\"fingerprint\":\"" + first.fingerprint() + "\"");
    assertThat(get("/posthorndead/" + first.id()))
        .contains("\"outcome\":", "no such address", "\"contentType\":\"text/plain\"")
        .contains("\"bytes\":10");
  }

  @Test
  void messages_are_found_by_key_and_one_is_shown_with_its_deliveries() throws Exception {
    assertThat(get("/posthornmessages?key=order/order-1"))
        .contains("\"mail\":\"DEAD\"", "order-1")
        .doesNotContain("order-2");
    assertThat(get("/posthornmessages?type=Noted&limit=1")).contains("\"next\":");
    assertThat(get("/posthornmessages/" + letters().get(0).messageId()))
        .contains("\"state\":\"DEAD\"", "\"deadReason\":\"HTTP_400\"");
  }

  @Test
  void operations_parked_messages_and_the_audit_are_listed() throws Exception {
    assertThat(get("/posthornoperations")).contains(operation.id().toString());
    assertThat(get("/posthornoperations/" + operation.id())).contains("it is part of it");
    assertThat(get("/posthornparked/mail")).contains("\"waiting\":\"RETRY\"", "HTTP_409");
    assertThat(get("/posthornaudit?limit=1")).contains("\"n\":1", "\"next\":1");
  }

  @Test
  void payloads_and_headers_are_shown_only_if_the_application_allows_it() throws Exception {
    String letter = "/posthorndead/" + letters().get(0).id();
    String message = "/posthornmessages/" + letters().get(0).messageId();
    for (String path :
        List.of(
            "/posthorn",
            "/posthorndead",
            "/posthorndead/groups",
            letter,
            "/posthornmessages",
            message,
            "/posthornoperations",
            "/posthornparked/mail",
            "/posthornaudit")) {
      assertThat(get(path))
          .doesNotContain("top secret", "hidden header")
          .doesNotContain("\"stack\":\"");
    }

    try (App open =
        start(
            "spring.datasource.url="
                + app.context().getEnvironment().getProperty("spring.datasource.url"),
            "posthorn.relay.enabled=false",
            "posthorn.actuator.show-payloads=true")) {
      assertThat(send(open, letter).body())
          .contains("\"payload\":\"top secret\"", "hidden header", "\"base64\":false");
      assertThat(send(open, message).body()).contains("top secret", "hidden header");
    }
  }

  @Test
  void a_wrong_request_is_answered_with_what_was_wrong() throws Exception {
    assertProblem(400, "/posthorndead?limit=501", "limit is '501': it must be from 1 to 500");
    assertProblem(400, "/posthorndead?limit=0", "limit is '0'");
    assertProblem(400, "/posthorndead?from=yesterday", "from is 'yesterday': it must be a time");
    assertProblem(400, "/posthorndead?state=gone", "must be one of dead, requeued");
    assertProblem(400, "/posthorndead?key=42", "key is '42': it must be like order/42");
    assertProblem(400, "/posthorndead?after=x", "after is 'x': it must be an id");
    assertProblem(400, "/posthorndead/x", "the id is 'x': it must be an id");
    assertProblem(400, "/posthornmessages?after=x", "after is 'x': it must be a number");
    assertProblem(400, "/posthornparked/male", "there is no destination 'male'");
    UUID nobody = UUID.randomUUID();
    assertProblem(404, "/posthorndead/" + nobody, "there is no dead letter " + nobody);
    assertProblem(404, "/posthornmessages/" + nobody, "there is no message " + nobody);
    assertProblem(404, "/posthornoperations/" + nobody, "there is no operation " + nobody);
  }

  @Test
  void a_wrong_change_is_answered_with_what_was_wrong() throws Exception {
    assertThat(steer("male", "{\"action\": \"pause\", \"why\": \"typing\"}"))
        .contains("\"error\":\"POSTHORN-035", "there is no destination 'male'", "mail");
    assertThat(steer("mail", "{\"action\": \"stop\", \"why\": \"typing\"}"))
        .contains("action is 'stop': it must be one of pause, resume");
    assertThat(steer("mail", "{\"why\": \"typing\"}")).contains("action is missing");
    assertThat(steer("mail", "{\"action\": \"pause\"}")).contains("why is missing");
  }

  @Test
  void a_pause_is_shown_in_the_health_and_degrades_nothing() {
    Steering steering = app.bean(Steering.class);
    OutboxHealth health = app.bean(OutboxHealth.class);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(health.report().status()).isEqualTo("UP"));
    assertThat(health.report().details()).doesNotContainKey("paused");
    steering.pause("mail", new Actor("ann", "the mail server moves"));
    try {
      assertThat(health.report().status()).isEqualTo("UP");
      assertThat(health.report().details().get("paused").toString())
          .contains("mail=[paused since ")
          .doesNotContain("ann", "the mail server moves");
    } finally {
      steering.resume("mail", US);
    }
  }

  private static void assertProblem(int status, String path, String error) throws Exception {
    HttpResponse<String> answer = send(app, path);
    assertThat(answer.statusCode()).as(path).isEqualTo(status);
    assertThat(answer.body()).contains("\"error\":", error);
  }

  private static String get(String path) throws Exception {
    HttpResponse<String> answer = send(app, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private static HttpResponse<String> send(App to, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri(to, path)).build(), BodyHandlers.ofString());
  }

  private static String steer(String destination, String json) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(uri(app, "/posthorn/" + destination))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(json))
                    .build(),
                BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(400);
    return answer.body();
  }

  private static URI uri(App to, String path) {
    String port = to.context().getEnvironment().getProperty("local.server.port");
    return URI.create("http://127.0.0.1:" + port + "/actuator" + path);
  }
}

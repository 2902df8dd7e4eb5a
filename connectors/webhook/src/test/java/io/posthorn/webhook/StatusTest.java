package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusTest {
  private final Endpoint endpoint = new Endpoint();

  @AfterEach
  void close() {
    endpoint.close();
  }

  @ParameterizedTest
  @CsvSource({
    "200, Sent",
    "201, Sent",
    "202, Sent",
    "204, Sent",
    "400, Rejected HTTP_400",
    "413, Rejected HTTP_413",
    "415, Rejected HTTP_415",
    "422, Rejected HTTP_422",
    "408, Failed HTTP_408",
    "425, Failed HTTP_425",
    "429, Failed HTTP_429",
    "500, Failed HTTP_500",
    "502, Failed HTTP_502",
    "503, Failed HTTP_503",
    "504, Failed HTTP_504",
    "409, Failed HTTP_409",
    "418, Failed HTTP_418",
    "401, Unavailable HTTP_401",
    "403, Unavailable HTTP_403",
    "404, Unavailable HTTP_404",
    "405, Unavailable HTTP_405",
    "410, Unavailable GONE",
    "300, Unavailable HTTP_300",
    "304, Unavailable HTTP_304"
  })
  void a_status_says_who_is_at_fault(int status, String expected) {
    endpoint.reply(status);
    assertThat(Sent.text(Sent.once(Sent.to(endpoint.port()), message("m")))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "404, Rejected HTTP_404",
    "410, Rejected GONE",
    "405, Rejected HTTP_405",
    "401, Unavailable HTTP_401",
    "302, Failed HTTP_302"
  })
  void an_address_taken_from_the_message_is_the_message_s_fault(int status, String expected) {
    endpoint.reply(status);
    String url = "http://localhost:" + endpoint.port() + "/hooks/{key}";
    assertThat(Sent.text(Sent.once(Sent.to(url), keyed("a", "m")))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"301", "302", "303", "307", "308"})
  void a_redirect_is_never_followed(int status) {
    Endpoint other = new Endpoint();
    try (other) {
      endpoint.reply(
          request ->
              new Endpoint.Reply(
                  status, Map.of("Location", "http://localhost:" + other.port() + "/"), ""));
      Outcome outcome = Sent.once(Sent.to(endpoint.port()), message("m"));
      assertThat(Sent.text(outcome)).isEqualTo("Unavailable HTTP_" + status);
      assertThat(((Outcome.Unavailable) outcome).reason().text()).contains("never followed");
      assertThat(other.requests).isEmpty();
    }
  }

  @Test
  void a_message_that_only_is_not_answered_is_a_failure() {
    endpoint.reply(
        request -> {
          if (request.message().type().equals("Slow")) {
            try {
              Thread.sleep(2_000);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          return Endpoint.Reply.of(204);
        });
    WebhookConfig.Builder config = Sent.to(endpoint.port()).timeout(Duration.ofSeconds(1));
    try (WebhookConnector connector = new WebhookConnector(config.build())) {
      CompletableFuture<Outcome> slow = new CompletableFuture<>();
      connector.send(List.of(typed("Slow", "s")), (index, outcome) -> slow.complete(outcome));
      assertThat(Sent.once(connector, message("quick"))).isEqualTo(Outcome.SENT);
      assertThat(Sent.text(slow.join())).isEqualTo("Failed TIMEOUT");
    }
  }

  @ParameterizedTest
  @CsvSource({"410, true", "404, false", "403, false"})
  void only_a_receiver_that_is_gone_is_gone_for_good(int status, boolean forGood) {
    endpoint.reply(status);
    Outcome outcome = Sent.once(Sent.to(endpoint.port()), message("m"));
    assertThat(((Outcome.Unavailable) outcome).forGood()).isEqualTo(forGood);
  }

  @Test
  void the_wait_that_the_receiver_asks_for_is_passed_on_up_to_a_bound() {
    assertThat(waits("120")).isEqualTo(Duration.ofMinutes(2));
    assertThat(waits("999999999")).isEqualTo(Duration.ofHours(1));
    assertThat(waits("-5")).isZero();
    assertThat(waits("soon")).isZero();
    String date =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(10));
    assertThat(waits(date)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    assertThat(waits("Sun, 06 Nov 1994 08:49:37 GMT")).isZero();
  }

  private Duration waits(String header) {
    endpoint.reply(request -> new Endpoint.Reply(429, Map.of("Retry-After", header), ""));
    Outcome outcome = Sent.once(Sent.to(endpoint.port()), message("m"));
    return ((Outcome.Failed) outcome).retryAfter();
  }

  @Test
  void a_reason_has_a_little_of_the_body_and_no_credentials() {
    String body = "password=hunter2 first line\nsecond\u0007line " + "x".repeat(5_000);
    endpoint.reply(request -> new Endpoint.Reply(500, Map.of(), body));
    Outcome outcome = Sent.once(Sent.to(endpoint.port()), message("m"));
    String text = ((Outcome.Failed) outcome).reason().text();
    assertThat(text).contains("first line second line").doesNotContain("hunter2");
    assertThat(text.length()).isLessThan(600);
  }

  @Test
  void values_of_a_message_stay_inside_their_part_of_the_address() {
    String url = "http://localhost:" + endpoint.port() + "/hooks/{key}?type={type}";
    Message odd = keyed("a/../b?x=1#f ü", "m");
    assertThat(Sent.once(Sent.to(url), odd)).isEqualTo(Outcome.SENT);
    assertThat(endpoint.requests.peek().path())
        .isEqualTo("/hooks/a%2F..%2Fb%3Fx%3D1%23f%20%C3%BC?type=Tested");
    assertThat(Sent.text(Sent.once(Sent.to(url), keyed("..", "m"))))
        .isEqualTo("Rejected INVALID_ADDRESS");
    assertThat(Sent.text(Sent.once(Sent.to(url), message("no key"))))
        .isEqualTo("Rejected INVALID_ADDRESS");
  }

  @Test
  void headers_that_are_the_connection_s_are_not_the_application_s() {
    for (String name : new String[] {"Host", "Content-Length", "webhook-id", "ce-id", "a b"}) {
      Message forging = Message.of("T").header(name, "x").build();
      assertThat(Sent.text(Sent.once(Sent.to(endpoint.port()), forging)))
          .as(name)
          .isEqualTo("Rejected INVALID_HEADER");
    }
    Message injecting = Message.of("T").header("x-note", "a\r\nx-evil: 1").build();
    assertThat(Sent.once(Sent.to(endpoint.port()), injecting)).isEqualTo(Outcome.SENT);
    assertThat(endpoint.requests.peek().headers())
        .containsEntry("x-note", "a%0D%0Ax-evil:%201")
        .doesNotContainKey("x-evil");
  }

  @Test
  void credentials_are_asked_for_each_message() {
    String[] token = {"old"};
    endpoint.reply(
        request ->
            Endpoint.Reply.of(
                "Bearer new".equals(request.headers().get("authorization")) ? 204 : 401));
    try (WebhookConnector connector =
        new WebhookConnector(Sent.to(endpoint.port()).bearer(() -> token[0]).build())) {
      assertThat(Sent.text(Sent.once(connector, message("1")))).isEqualTo("Unavailable HTTP_401");
      token[0] = "new";
      assertThat(Sent.once(connector, message("2"))).isEqualTo(Outcome.SENT);
    }
    WebhookConfig.Builder vault =
        Sent.to(endpoint.port())
            .bearer(
                () -> {
                  throw new IllegalStateException("vault says: s3cr3t");
                });
    Outcome none = Sent.once(vault, message("no credentials"));
    assertThat(Sent.text(none)).isEqualTo("Unavailable ACCESS_DENIED");
    assertThat(none.toString()).doesNotContain("s3cr3t");
    Outcome basic =
        Sent.once(Sent.to(endpoint.port()).basic("user", () -> "p\u00e4ss"), message("3"));
    assertThat(Sent.text(basic)).isEqualTo("Unavailable HTTP_401");
  }
}

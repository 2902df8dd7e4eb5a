package io.posthorn.api.mask;

import static io.posthorn.api.DeadShop.CANARY;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.DeadShop;
import io.posthorn.api.RunningApi;
import io.posthorn.api.RunningApi.Answer;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.Role;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** A card number is in the payload, a header, the error and the stack of a dead letter. */
class PrivacyTest {
  private static RunningApi api;
  private static DeadShop shop;
  private static UUID message;
  private static UUID letter;

  @BeforeAll
  static void start() throws Exception {
    api = new RunningApi(new MaskRule("OrderPlaced", "/customer/card", Show.LAST_FOUR));
    shop = new DeadShop(api);
    message = shop.dead("anna").get(0);
    letter = api.store().letters(DeadLetterQuery.waiting(), null, 1).get(0).id();
  }

  @AfterAll
  static void stop() {
    shop.close();
    api.close();
  }

  @Test
  void no_answer_to_a_viewer_contains_anything_of_a_payload() {
    List<String> paths = allReads();
    assertThat(paths).hasSizeGreaterThan(20);
    for (String path : paths) {
      Answer answer = api.get(Role.VIEWER, path);
      assertThat(answer.body()).as(path).doesNotContain(CANARY);
      // The key and the correlation id are his, and clear; the receiver's text is not.
      assertThat(answer.body()).as(path).doesNotContain("of Anna");
    }
    assertThat(api.get(Role.VIEWER, "/dead-letters/" + letter).status()).isEqualTo(200);
    assertThat(api.post(Role.VIEWER, "/dead-letters/" + letter + "/preview", "{}").body())
        .contains("\"masked\":true")
        .doesNotContain(CANARY);
  }

  /** Every path that can be read, with the ids of what is there. */
  private static List<String> allReads() {
    List<String> paths = new ArrayList<>();
    api.context()
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach(
            (mapping, method) -> {
              boolean get = mapping.getMethodsCondition().getMethods().toString().contains("GET");
              if (get && method.hasMethodAnnotation(Needs.class)) {
                for (String path : mapping.getPatternValues()) {
                  if (path.contains("{database}") && !path.endsWith("/events")) {
                    paths.add(
                        path.replace("/api/v1/databases/{database}", "")
                            .replace("/messages/{id}", "/messages/" + message)
                            .replace("/dead-letters/{id}", "/dead-letters/" + letter)
                            .replace("{destination}", "mail")
                            .replace("/{message}", "/" + message)
                            .replace("{id}", UUID.randomUUID().toString())
                            .replace("{prefix}", message.toString().substring(0, 8))
                            .replace("{cause}", "x"));
                  }
                }
              }
            });
    return paths;
  }

  @Test
  void a_payload_reader_sees_payloads_with_the_masks_of_the_rules() {
    for (String path : List.of("/dead-letters/" + letter, "/messages/" + message)) {
      String body = api.get(Role.PAYLOAD_READER, path).body();
      assertThat(body).as(path).contains("anna").contains("•••8765");
      // The header is no part of the payload; rules are for payloads and what quotes them.
      assertThat(body.replace("\"customer-card\":\"" + CANARY + "\"", ""))
          .as(path)
          .doesNotContain(CANARY);
    }
  }

  @Test
  void unmasking_needs_the_right_and_a_reason_and_is_in_the_audit() {
    String path = "/dead-letters/" + letter + "/unmask";
    assertThat(api.post(Role.VIEWER, path, "{\"why\":\"x\"}").status()).isEqualTo(403);
    assertThat(api.post(Role.OPERATOR, path, "{\"why\":\"x\"}").status()).isEqualTo(403);
    assertThat(api.post(Role.PAYLOAD_READER, path, "{}").status()).isEqualTo(400);

    Answer shown = api.post(Role.PAYLOAD_READER, path, "{\"why\":\"the customer asked\"}");
    assertThat(shown.json().get("payload").get("text").asString()).contains(CANARY);
    assertThat(api.get(Role.VIEWER, "/audit").body())
        .contains("payload.unmask", "letter " + letter, "the customer asked", "\"who\":\"anna\"");
  }

  @Test
  void a_search_in_errors_and_headers_is_for_those_who_may_read_them() {
    assertThat(api.get(Role.VIEWER, "/dead-letters?error=49").status()).isEqualTo(403);
    String byHeader = "{\"headers\":{\"customer-card\":\"%s\"}}".formatted(CANARY);
    assertThat(api.post(Role.OPERATOR, "/dead-letters/count", byHeader).status()).isEqualTo(403);
    String plan = "{\"action\":\"REQUEUE\",\"letters\":%s}".formatted(byHeader);
    assertThat(api.post(Role.OPERATOR, "/operations/preview", plan).status()).isEqualTo(403);
    assertThat(api.post(Role.PAYLOAD_READER, "/dead-letters/count", byHeader).body())
        .isEqualTo("{\"count\":1}");
  }
}

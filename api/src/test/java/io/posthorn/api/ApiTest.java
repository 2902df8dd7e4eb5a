package io.posthorn.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.api.RunningApi.Answer;
import io.posthorn.api.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What people do with a database, by the API, with a running relay. */
class ApiTest {
  private RunningApi api;
  private DeadShop shop;

  @BeforeEach
  void start() {
    api = new RunningApi();
    shop = new DeadShop(api);
  }

  @AfterEach
  void stop() {
    shop.close();
    api.close();
  }

  private JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 202);
    return answer.json();
  }

  private JsonNode get(String path) {
    return ok(api.get(Role.VIEWER, path));
  }

  private JsonNode operate(String path, String body) {
    return ok(api.post(Role.OPERATOR, path, body));
  }

  private JsonNode administer(String path, String body) {
    return ok(api.post(Role.ADMIN, path, body));
  }

  private static String text(JsonNode node, String name) {
    return node.get(name).asString();
  }

  @Test
  void a_list_is_read_page_by_page_without_gaps() throws Exception {
    shop.dead("a", "b", "c", "d", "e");
    List<String> keys = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = get("/dead-letters?limit=2" + next);
      page.get("items").forEach(one -> keys.add(text(one.get("key"), "id")));
      next = page.get("next").isNull() ? "" : "&after=" + text(page, "next");
    } while (!next.isEmpty());
    assertThat(keys).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void letters_are_grouped_noted_counted_and_summed_up() throws Exception {
    shop.dead("a", "b");
    JsonNode cause = get("/causes").get("items").get(0);
    assertThat(cause.get("letters").asInt()).isEqualTo(2);
    assertThat(ok(api.post(Role.VIEWER, "/dead-letters/count", "{}")).get("count").asInt())
        .isEqualTo(2);
    assertThat(get("/dead-letters/summary").get("waiting").asInt()).isEqualTo(2);

    String note = "/causes/" + text(cause, "fingerprint") + "/note";
    Answer none = api.get(Role.VIEWER, note);
    assertThat(none.json().get("note").isNull()).isTrue();
    String body = "{\"note\":\"known\",\"owner\":\"ops\",\"why\":\"seen\"}";
    assertThat(api.as(Role.OPERATOR, "PUT", note, body).status()).isEqualTo(428);
    Answer written = api.as(Role.OPERATOR, "PUT", note, body, "If-Match", none.header("etag"));
    assertThat(text(ok(written).get("note"), "owner")).isEqualTo("ops");
    assertThat(api.as(Role.OPERATOR, "PUT", note, body, "If-Match", none.header("etag")).status())
        .as("somebody has written in between")
        .isEqualTo(412);
  }

  @Test
  void a_letter_is_previewed_corrected_and_requeued_once() throws Exception {
    shop.dead("anna");
    String letter = text(get("/dead-letters").get("items").get(0), "id");
    String tag = api.get(Role.VIEWER, "/dead-letters/" + letter).header("etag");
    String corrected = "{\"text\":\"{\\\"price\\\":1}\",\"why\":\"price added\"}";
    JsonNode preview = ok(api.post(Role.ADMIN, "/dead-letters/" + letter + "/preview", corrected));
    assertThat(text(preview.get("written").get("payload"), "text")).isEqualTo("{\"price\":1}");
    Answer broken =
        api.post(
            Role.ADMIN, "/dead-letters/" + letter + "/requeue", "{\"text\":\"{\",\"why\":\"x\"}");
    assertThat(broken.status()).isEqualTo(400);
    assertThat(text(broken.json(), "code")).isEqualTo("POSTHORN-002");

    String unread = "/dead-letters/" + letter + "/requeue";
    assertThat(api.post(Role.OPERATOR, unread, corrected).status())
        .as("nobody replaces what they may not read")
        .isEqualTo(403);

    shop.fix();
    String path = "/dead-letters/" + letter + "/requeue";
    Answer first = api.as(Role.ADMIN, "POST", path, corrected, "If-Match", tag);
    assertThat(ok(first).get("done").asInt()).isEqualTo(1);
    await().until(() -> shop.received().contains("{\"price\":1}"));
    assertThat(api.as(Role.ADMIN, "POST", path, corrected, "If-Match", tag).status())
        .isEqualTo(412);
    assertThat(get("/audit").toString())
        .contains("dead.requeue", "price added", "\"who\":\"anna\"");
  }

  @Test
  void an_operation_is_previewed_started_and_followed() throws Exception {
    shop.dead("a", "b", "c");
    String plan =
        "{\"action\":\"REQUEUE\",\"letters\":{\"destination\":\"mail\"},\"canary\":1,\"why\":\"fixed\"}";
    assertThat(ok(api.post(Role.VIEWER, "/operations/preview", plan)).get("count").asInt())
        .isEqualTo(3);
    shop.fix();
    Answer started = api.post(Role.OPERATOR, "/operations", plan);
    assertThat(started.status()).isEqualTo(202);
    String location = started.header("location");
    await()
        .until(
            () ->
                text(api.call("GET", location, "", "X-Caller", "a=VIEWER").json(), "state")
                    .equals("DONE"));
    await().until(() -> shop.received().size() == 3);
    assertThat(get("/operations").get("items")).hasSize(1);
    String id = text(started.json(), "id");
    assertThat(api.post(Role.OPERATOR, "/operations/" + id + "/stop", "{\"why\":\"x\"}").status())
        .isEqualTo(409);
  }

  @Test
  void letters_are_discarded_and_sent_once() throws Exception {
    shop.dead("a", "b");
    JsonNode letters = get("/dead-letters").get("items");
    String body = "{\"ids\":[\"%s\"],\"why\":\"test order\"}";
    String first = body.formatted(text(letters.get(0), "id"));
    String second = body.formatted(text(letters.get(1), "id"));
    assertThat(operate("/dead-letters/discard", first).get("done").asInt()).isEqualTo(1);
    assertThat(operate("/dead-letters/discard", first).get("refused").size()).isEqualTo(1);
    shop.fix();
    assertThat(operate("/dead-letters/send-once", second).get("done").asInt()).isEqualTo(1);
    await().until(() -> shop.received().size() == 1);
    assertThat(get("/dead-letters?state=DISCARDED").get("items")).hasSize(1);
  }

  @Test
  void destinations_are_paused_limited_checked_and_removed() throws Exception {
    shop.dead("a");
    String why = "{\"why\":\"maintenance\"}";
    assertThat(operate("/destinations/mail/pause", why).get("changed").asBoolean()).isTrue();
    assertThat(operate("/destinations/mail/pause", why).get("changed").asBoolean()).isFalse();
    assertThat(text(get("/pauses").get("items").get(0), "who")).isEqualTo("anna");
    assertThat(get("/destinations/mail").get("pause").isNull()).isFalse();
    operate("/destinations/mail/resume", why);
    ok(
        api.as(
            Role.OPERATOR,
            "PUT",
            "/destinations/mail/limit",
            "{\"perSecond\":10.5,\"why\":\"gently\"}"));
    assertThat(get("/destinations/mail").get("ratePerSecond").asDouble()).isEqualTo(10.5);
    assertThat(text(get("/routes").get("items").get(0), "destination")).isEqualTo("mail");
    assertThat(api.post(Role.OPERATOR, "/checks?destination=mail", "").status()).isEqualTo(202);
    await().until(() -> !get("/checks").get("items").isEmpty());
    assertThat(get("/relays").get("items")).hasSize(1);
    String key =
        "{\"destination\":\"mail\",\"key\":{\"aggregateType\":\"Order\",\"id\":\"a\"},\"why\":\"x\"}";
    assertThat(operate("/pauses", key).get("changed").asBoolean()).isTrue();
    assertThat(operate("/pauses/resume", key).get("changed").asBoolean()).isTrue();

    assertThat(api.post(Role.OPERATOR, "/destinations/mail/remove", why).status()).isEqualTo(403);
    Answer busy = api.post(Role.ADMIN, "/destinations/mail/remove", why);
    assertThat(busy.status()).as(busy.body()).isEqualTo(409);
    shop.close();
    assertThat(administer("/destinations/mail/remove", why).has("count")).isTrue();
    assertThat(api.get(Role.VIEWER, "/destinations/mail").status()).isEqualTo(404);
    assertThat(api.post(Role.OPERATOR, "/destinations/mail/pause", why).status()).isEqualTo(404);
  }

  @Test
  void parked_messages_are_listed_rescheduled_skipped_and_released() {
    String id = UUID.randomUUID().toString();
    String body =
        "{\"type\":\"OrderPlaced\",\"payload\":{},\"notBefore\":\"2031-01-01T00:00:00Z\"}";
    ok201(api.as(Role.WRITER, "POST", "/messages", body, "Idempotency-Key", id));
    String parked = "/destinations/mail/parked";
    await().until(() -> !get(parked).get("items").isEmpty());
    assertThat(text(get(parked).get("items").get(0), "messageId")).isEqualTo(id);
    assertThat(operate(parked + "/retry", "{\"why\":\"x\"}").get("count").asInt()).isZero();
    String later = "{\"at\":\"2032-01-01T00:00:00Z\",\"why\":\"x\"}";
    operate(parked + "/" + id + "/reschedule", later);
    assertThat(text(get(parked).get("items").get(0), "nextAttemptAt")).startsWith("2032");
    operate(parked + "/" + id + "/skip", "{\"why\":\"not needed\"}");
    assertThat(api.post(Role.OPERATOR, parked + "/" + id + "/reschedule", later).status())
        .isEqualTo(409);
    String key = "{\"key\":{\"aggregateType\":\"Order\",\"id\":\"a\"},\"why\":\"x\"}";
    assertThat(operate("/destinations/mail/keys/release", key).get("changed").asBoolean())
        .isFalse();
  }

  private static void ok201(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  @Test
  void a_message_is_found_by_its_key_its_prefix_and_its_id() throws Exception {
    UUID id = shop.dead("anna").get(0);
    assertThat(get("/messages?aggregateType=Order&key=anna").get("items")).hasSize(1);
    assertThat(text(get("/ids/" + id.toString().substring(0, 13)).get("items").get(0), "kind"))
        .isEqualTo("MESSAGE");
    JsonNode story = get("/messages/" + id);
    assertThat(text(story.get("deliveries").get(0), "state")).isEqualTo("DEAD");
    assertThat(api.get(Role.VIEWER, "/messages/" + UUID.randomUUID()).status()).isEqualTo(404);
    assertThat(api.get(Role.VIEWER, "/ids/xyz").status()).isEqualTo(400);
  }

  @Test
  void repeating_a_request_adds_its_message_once() {
    String id = UUID.randomUUID().toString();
    String body = "{\"type\":\"OrderPlaced\",\"payload\":{\"n\":1},\"headers\":{\"a\":\"b\"}}";
    Answer first = api.as(Role.WRITER, "POST", "/messages", body, "Idempotency-Key", id);
    assertThat(first.status()).as(first.body()).isEqualTo(201);
    Answer repeated = api.as(Role.WRITER, "POST", "/messages", body, "Idempotency-Key", id);
    assertThat(repeated.status()).isEqualTo(200);
    assertThat(repeated.json().get("repeated")).hasSize(1);
    Answer other =
        api.as(Role.WRITER, "POST", "/messages", body.replace("1", "2"), "Idempotency-Key", id);
    assertThat(other.status()).isEqualTo(409);

    String next = UUID.randomUUID().toString();
    String batch =
        "{\"messages\":[{\"id\":\"%s\",\"type\":\"OrderPlaced\",\"payload\":{\"n\":1}},{\"id\":\"%s\",\"type\":\"OrderPlaced\",\"text\":\"x\",\"contentType\":\"text/plain\"}]}"
            .formatted(id, next);
    Answer both = api.as(Role.WRITER, "POST", "/messages/batch", batch);
    assertThat(both.status()).as(both.body()).isEqualTo(201);
    assertThat(both.json().get("repeated")).hasSize(1);
    assertThat(
            api.as(
                    Role.WRITER,
                    "POST",
                    "/messages",
                    body.replace("OrderPlaced", "Nope"),
                    "Idempotency-Key",
                    UUID.randomUUID().toString())
                .status())
        .isEqualTo(422);
    assertThat(api.as(Role.WRITER, "GET", "/messages", "").status())
        .as("a writer sees nothing")
        .isEqualTo(403);
    assertThat(api.as(Role.OPERATOR, "POST", "/messages", body).status()).isEqualTo(403);
  }

  @Test
  void long_work_is_a_task_to_follow() throws Exception {
    shop.dead("a");
    Answer started = api.post(Role.ADMIN, "/retention/purge", "{\"why\":\"disk\"}");
    assertThat(started.status()).as(started.body()).isEqualTo(202);
    await()
        .until(
            () ->
                text(
                        api.call("GET", started.header("location"), "", "X-Caller", "a=VIEWER")
                            .json(),
                        "state")
                    .equals("DONE"));
    assertThat(get("/retention").get("status").has("leaves")).isTrue();
    Answer verify = api.post(Role.VIEWER, "/audit/verify", "");
    await()
        .until(
            () ->
                text(
                        api.call("GET", verify.header("location"), "", "X-Caller", "a=VIEWER")
                            .json(),
                        "state")
                    .equals("DONE"));
    JsonNode tasks = get("/tasks").get("items");
    assertThat(tasks.get(0).get("result").get("broken").isNull()).isTrue();
    Answer spill = api.post(Role.OPERATOR, "/destinations/mail/spill", "{\"why\":\"disk\"}");
    assertThat(spill.status()).isEqualTo(202);
    Answer replay =
        api.post(Role.OPERATOR, "/inbox/replay", "{\"consumer\":\"mail\",\"why\":\"x\"}");
    assertThat(replay.status()).isEqualTo(202);
    assertThat(get("/inbox?consumer=mail").get("items")).isEmpty();
    assertThat(api.get(Role.ADMIN, "/audit/export").body().lines().count()).isPositive();
  }

  @Test
  void the_doctor_the_figures_and_the_restore_are_shown() {
    assertThat(get("/doctor").get("items").size()).isGreaterThan(5);
    assertThat(get("/figures").get("relays").asInt()).isEqualTo(1);
    assertThat(text(get("/restore"), "environment")).isEqualTo("test");
    Answer running =
        api.post(
            Role.ADMIN,
            "/restore/adopt",
            "{\"environment\":\"test\",\"how\":\"SAME_HISTORY\",\"why\":\"x\"}");
    assertThat(running.status()).isEqualTo(409);
  }

  @Test
  void a_change_without_a_reason_is_refused() {
    Answer answer = api.post(Role.OPERATOR, "/destinations/mail/pause", "{}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(text(answer.json(), "detail")).contains("the reason is missing");
  }
}

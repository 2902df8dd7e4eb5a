package io.posthorn.observe;

import static io.posthorn.observe.RunningSystem.MAIL;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.observe.RunningSystem.Program;
import io.posthorn.testkit.MemorySource;
import io.posthorn.testservers.Prometheus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real Prometheus scrapes a running relay. */
@Tag("slow")
class PrometheusTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final RunningSystem system = new RunningSystem();
  private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
  private long received;

  @AfterEach
  void stop() {
    writer.shutdownNow();
    system.close();
  }

  /** Returns the published rules with seconds instead of minutes. */
  private static String hurried() {
    return Resources.text("alerts.yml")
        .replace("[2m]", "[15s]")
        .replace("[15m]", "[30s]")
        .replaceAll("for: \\d+m", "for: 3s");
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(500));
  }

  @Test
  void
      an_outage_makes_alerts_fire_and_recovery_clears_them_and_every_query_of_the_dashboard_has_data() {
    Program program = system.start();
    MemorySource source = new MemorySource(1, 42).withoutSequences();
    system.consumer(program, source);
    try (Prometheus prometheus = Prometheus.scraping(program.port(), hurried())) {
      var unused =
          writer.scheduleWithFixedDelay(
              () -> {
                system.add("Paid", "k" + System.nanoTime() % 10);
                receive(source);
              },
              0,
              100,
              TimeUnit.MILLISECONDS);
      soon().until(() -> hasData(prometheus, "rate(outbox_publish_success_total[15s]) > 0"));
      assertThat(firing(prometheus)).isEmpty();

      system.mail.outcome(message -> Outcome.unavailable(Reason.of("CONNECTION", "refused")));
      soon()
          .untilAsserted(
              () ->
                  assertThat(firing(prometheus))
                      .contains("OutboxFailureRate " + MAIL, "OutboxDestinationOpen " + MAIL));

      system.mail.outcome(
          message ->
              message.type().equals("Poison")
                  ? Outcome.rejected(Reason.of("HTTP_400", "no"))
                  : Outcome.SENT);
      soon().untilAsserted(() -> assertThat(firing(prometheus)).isEmpty());

      system.add("Poison", "p");
      system.add("Paid", "p");
      soon()
          .untilAsserted(
              () ->
                  assertThat(firing(prometheus))
                      .contains("OutboxDeadLettersGrowing " + MAIL, "OutboxHeldKeys " + MAIL));
      List<String> empty = new ArrayList<>();
      soon()
          .untilAsserted(
              () -> {
                empty.clear();
                dashboard().stream().filter(q -> !hasData(prometheus, q)).forEach(empty::add);
                assertThat(empty).isEmpty();
              });
    }
  }

  /**
   * Sends one message of each kind: new, repeated, stale, without a handler, and sometimes failing.
   */
  private void receive(MemorySource source) {
    long n = ++received;
    Message changed = received("Changed", "k" + n, 2);
    source.publish(changed, changed, received("Changed", "k" + n, 1));
    source.publish(received("Unheard", "u" + n, 1));
    if (n % 100 == 1) {
      source.publish(received("Poison", "p" + n, 1));
    }
  }

  private static Message received(String type, String key, long sequence) {
    return Message.of(type)
        .key("Thing", key)
        .json((key + sequence).getBytes(UTF_8))
        .build()
        .withSequence(sequence);
  }

  private static List<String> dashboard() throws JsonProcessingException {
    List<String> queries = new ArrayList<>();
    for (JsonNode panel : JSON.readTree(Resources.text("dashboard.json")).get("panels")) {
      panel
          .path("targets")
          .forEach(
              target ->
                  queries.add(
                      target
                          .get("expr")
                          .asText()
                          .replace("$destination", ".*")
                          .replace("$__rate_interval", "1m")));
    }
    assertThat(queries).hasSizeGreaterThan(25);
    return queries;
  }

  /** Returns whether the query has at least one series with a number. */
  private static boolean hasData(Prometheus prometheus, String query) {
    JsonNode answer = json(prometheus.query(query));
    assertThat(answer.get("status").asText()).as(query + answer).isEqualTo("success");
    for (JsonNode series : answer.get("data").get("result")) {
      if (!series.get("value").get(1).asText().equals("NaN")) {
        return true;
      }
    }
    return false;
  }

  private static Set<String> firing(Prometheus prometheus) {
    Set<String> firing = new TreeSet<>();
    for (JsonNode alert : json(prometheus.alerts()).get("data").get("alerts")) {
      if (alert.get("state").asText().equals("firing")) {
        JsonNode labels = alert.get("labels");
        firing.add(labels.get("alertname").asText() + " " + labels.path("destination").asText());
      }
    }
    return firing;
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }
}

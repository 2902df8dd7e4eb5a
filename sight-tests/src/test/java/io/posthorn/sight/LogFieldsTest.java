package io.posthorn.sight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.observe.MessageLog;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.store.Start;
import io.posthorn.testkit.FakeConnector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** Which fields log lines have. */
class LogFieldsTest {
  private static final Logger LOG = LoggerFactory.getLogger("handler");

  private final Site site = new Site("", "Placed");
  private final Message message =
      Message.of("Placed").key("Order", "7").correlationId("c-7").build();

  @AfterEach
  void stop() {
    site.close();
  }

  private Map<String, String> named(Map<String, String> more) {
    Map<String, String> all =
        new java.util.HashMap<>(
            Map.of(
                "posthorn.message_id", message.id().toString(),
                "posthorn.type", "Placed",
                "posthorn.key", "Order/7",
                "posthorn.correlation_id", "c-7"));
    all.putAll(more);
    return all;
  }

  @Test
  void each_outcome_of_a_message_is_logged_with_its_names_destination_attempt_and_reason() {
    AtomicInteger calls = new AtomicInteger();
    FakeConnector mail =
        FakeConnector.acking()
            .outcome(
                m ->
                    calls.incrementAndGet() == 1
                        ? Outcome.failedByMessage(Reason.of("HTTP_503", "busy"))
                        : Outcome.SENT);
    try (Relay relay = site.relay().destination(Site.to("mail", mail, "Placed")).build().start()) {
      assertThat(relay).isNotNull();
      site.add(message);
      await().atMost(Duration.ofSeconds(30)).until(() -> lines("Sent").size() == 1);
      LogLine failed = lines("Attempt failed: HTTP_503").get(0);
      assertThat(failed.level()).isEqualTo(Level.DEBUG);
      assertNamedInTheText(failed, "mail");
      assertNamedInTheText(lines("Sent").get(0), "mail");
      assertThat(failed.fields())
          .isEqualTo(
              named(
                  Map.of(
                      "posthorn.destination", "mail",
                      "posthorn.attempt", "1",
                      "posthorn.reason", "HTTP_503")));
      assertThat(lines("Sent").get(0).fields())
          .isEqualTo(named(Map.of("posthorn.destination", "mail", "posthorn.attempt", "2")));
    }
    assertThat(CapturedLogs.lines())
        .filteredOn(line -> line.text().startsWith("Relay 'relay-1' started"))
        .last()
        .satisfies(line -> assertThat(line.fields()).containsEntry("posthorn.relay", "relay-1"));
  }

  @Test
  void a_dead_letter_is_a_warning() {
    FakeConnector mail =
        FakeConnector.acking().outcome(m -> Outcome.rejected(Reason.of("HTTP_400", "no price")));
    try (Relay relay = site.relay().destination(Site.to("mail", mail, "Placed")).build().start()) {
      assertThat(relay).isNotNull();
      site.add(message);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> lines("Dead letter: HTTP_400").size() == 1);
      LogLine dead = lines("Dead letter: HTTP_400").get(0);
      assertThat(dead.level()).isEqualTo(Level.WARN);
      assertNamedInTheText(dead, "mail");
      assertThat(dead.fields())
          .isEqualTo(named(Map.of("posthorn.destination", "mail", "posthorn.reason", "HTTP_400")));
    }
  }

  @Test
  void what_a_handler_logs_has_the_message_in_its_mdc_and_nothing_is_left_there_afterwards() {
    ConcurrentLinkedQueue<Map<String, String>> before = new ConcurrentLinkedQueue<>();
    AtomicInteger calls = new AtomicInteger();
    MessageTypes types = MessageTypes.named("Placed");
    try (Bus bus = Bus.on(site.store, site.pool, site.outbox, types).relay(site.relay()).build()) {
      bus.subscribe("stock")
          .startAt(Start.EARLIEST)
          .on(
              "Placed",
              (m, handling) -> {
                LOG.info("packing {}", m.id());
                if (calls.incrementAndGet() == 1) {
                  throw new IllegalStateException("not now");
                }
              })
          .classifier(
              io.posthorn.core.connector.Classifier.DEFAULT.when(
                  IllegalStateException.class,
                  thrown -> {
                    // On the handler's thread, after it.
                    Map<String, String> left = MDC.getCopyOfContextMap();
                    before.add(left == null ? Map.of() : left);
                    return Outcome.failedByMessage(Reason.of("BUSY", "not now"));
                  }));
      bus.start();
      site.add(message);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> lines("Handled").stream().anyMatch(line -> isOf(line)));
    }
    assertThat(CapturedLogs.of("handler"))
        .filteredOn(line -> line.text().endsWith(message.id().toString()))
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line.mdc())
                    .containsAllEntriesOf(named(Map.of("posthorn.consumer", "stock"))))
        .extracting(line -> line.mdc().get("posthorn.attempt"))
        .containsExactly("1", "2");
    assertThat(List.copyOf(before)).last().isEqualTo(Map.of());
  }

  @Test
  void what_a_handler_throws_is_logged_once_an_attempt_with_its_stack_and_without_secrets() {
    AtomicInteger calls = new AtomicInteger();
    MessageTypes types = MessageTypes.named("Placed");
    try (Bus bus = Bus.on(site.store, site.pool, site.outbox, types).relay(site.relay()).build()) {
      bus.subscribe("stock")
          .startAt(Start.EARLIEST)
          .on(
              "Placed",
              (m, handling) -> {
                if (calls.incrementAndGet() <= 2) {
                  throw new IllegalStateException("login with password=hunter2 failed");
                }
              });
      bus.start();
      site.add(message);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> lines("Handled").stream().anyMatch(this::isOf));
    }
    List<LogLine> failures = lines("The handler failed at attempt");
    assertThat(failures).hasSize(2);
    assertThat(failures)
        .allSatisfy(
            line -> {
              assertThat(line.level()).isEqualTo(Level.WARN);
              assertThat(line.text()).contains("IllegalStateException");
              assertNamedInTheText(line, "stock");
              assertThat(line.fields()).containsEntry("posthorn.reason", "IllegalStateException");
              assertThat(line.text())
                  .contains("at " + LogFieldsTest.class.getName())
                  .contains("login with password=***")
                  .doesNotContain("hunter2");
            });
    assertThat(failures)
        .extracting(line -> line.fields().get("posthorn.attempt"))
        .containsExactly("1", "2");
  }

  @Test
  void what_a_handler_of_a_destination_throws_is_logged_with_the_destination_s_name() {
    AtomicInteger calls = new AtomicInteger();
    InProcess packing =
        InProcess.handlers()
            .on(
                "Placed",
                m -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("not now");
                  }
                })
            .build();
    try (packing;
        Relay relay =
            site.relay().destination(Site.to("packing", packing, "Placed")).build().start()) {
      assertThat(relay).isNotNull();
      site.add(message);
      await().atMost(Duration.ofSeconds(30)).until(() -> lines("Sent").size() == 1);
    }
    LogLine failure = lines("The handler failed at attempt 1").get(0);
    assertNamedInTheText(failure, "packing");
    assertThat(failure.text()).contains("at " + LogFieldsTest.class.getName());
  }

  /** Many layouts show only the text of a line, and not its fields. */
  private void assertNamedInTheText(LogLine line, String destination) {
    assertThat(line.text())
        .contains(
            "message %s of type 'Placed' with key '%s' to '%s'"
                .formatted(message.id(), message.key(), destination));
  }

  private List<LogLine> lines(String text) {
    return CapturedLogs.lines().stream()
        .filter(line -> line.logger().startsWith(MessageLog.LOGGER))
        .filter(line -> line.text().startsWith(text) && isOf(line))
        .toList();
  }

  private boolean isOf(LogLine line) {
    return message.id().toString().equals(line.fields().get("posthorn.message_id"));
  }
}

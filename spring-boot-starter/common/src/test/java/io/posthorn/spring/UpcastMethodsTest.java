package io.posthorn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.RequeuePreview;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Bean methods that convert messages of earlier versions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UpcastMethodsTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();
  private static App app;

  @OutboxMessage(schemaVersion = 3)
  record Shipment(@MessageKey("order") String order, String carrier, int parcels) {}

  /** Version 2 of a shipment. */
  record ShipmentV2(String order, String carrier) {}

  @Configuration
  @EnableAutoConfiguration
  static class Depot {
    @Bean
    Shipments shipments() {
      return new Shipments();
    }
  }

  static class Shipments {
    // guide:upcasts
    @Upcast(type = "Shipment", from = 1, to = 2)
    Map<String, Object> addCarrier(Map<String, Object> shipment) {
      shipment.put("carrier", "post");
      return shipment;
    }

    @Upcast(type = "Shipment", from = 2, to = 3)
    Shipment countParcels(ShipmentV2 shipment) {
      return new Shipment(shipment.order(), shipment.carrier(), 1);
    }

    // guide:end

    @MessageHandler(consumer = "depot")
    void ship(Shipment shipment, Handling handling) {
      if (shipment.order().startsWith("bad")) {
        throw new RejectedException("BAD_ORDER", "the test asked for it");
      }
      SEEN.add(
          "%s, %d to %d"
              .formatted(shipment, handling.schemaVersion(), handling.message().schemaVersion()));
    }
  }

  @BeforeAll
  static void start() {
    app = App.start(Depot.class);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  private static void add(int version, String order, String json) {
    Message message =
        Message.of("Shipment")
            .schemaVersion(version)
            .key("order", order)
            .json(json.getBytes(UTF_8))
            .build();
    app.inTransaction(tx -> app.outbox().add(message));
  }

  @Test
  void a_message_of_an_earlier_version_reaches_its_method_through_all_steps() {
    add(1, "o-1", "{\"order\":\"o-1\"}");
    add(2, "o-2", "{\"order\":\"o-2\",\"carrier\":\"ship\"}");
    add(3, "o-3", "{\"order\":\"o-3\",\"carrier\":\"ship\",\"parcels\":3}");
    await()
        .untilAsserted(
            () ->
                assertThat(SEEN)
                    .containsExactlyInAnyOrder(
                        "Shipment[order=o-1, carrier=post, parcels=1], 1 to 3",
                        "Shipment[order=o-2, carrier=ship, parcels=1], 2 to 3",
                        "Shipment[order=o-3, carrier=ship, parcels=3], 3 to 3"));
  }

  @Test
  void a_message_of_a_newer_version_waits_for_a_program_that_can_read_it() {
    add(4, "o-4", "{\"order\":\"o-4\"}");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        app.jdbc()
                            .sql("SELECT waiting || ': ' || last_error FROM posthorn_parked")
                            .query(String.class)
                            .list())
                    .containsExactly(
                        "CODE: version 4 of 'Shipment' is newer than version 3, which this program reads"));
    assertThat(SEEN).isEmpty();
  }

  @Test
  void a_preview_shows_a_dead_letter_as_its_method_would_get_it() {
    add(1, "bad-1", "{\"order\":\"bad-1\"}");
    DeadLetters letters = app.bean(DeadLetters.class);
    await().until(() -> !letters.list(DeadLetterQuery.waiting(), null, 10).isEmpty());
    DeadLetter letter = letters.list(DeadLetterQuery.waiting(), null, 10).get(0);
    RequeuePreview preview = letters.preview(letter.id(), Requeue.SAME).orElseThrow();
    assertThat(preview.problems()).isEmpty();
    Message read = Objects.requireNonNull(preview.read());
    assertThat(read.schemaVersion()).isEqualTo(3);
    assertThat(new String(read.payload(), UTF_8))
        .isEqualTo("{\"order\":\"bad-1\",\"carrier\":\"post\",\"parcels\":1}");
  }

  @Test
  void a_payload_that_the_schema_on_the_class_path_refuses_is_not_added() {
    assertThatThrownBy(() -> add(1, "o-9", "{\"order\":4711}"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("/order (type string)")
        .hasMessageNotContaining("4711");
  }

  @Test
  void the_code_in_the_guide_is_this_code() throws IOException {
    Path common = Path.of("").toAbsolutePath().resolveSibling("common");
    String source =
        Files.readString(common.resolve("src/test/java/io/posthorn/spring/UpcastMethodsTest.java"));
    String code = source.substring(source.indexOf("// guide:upcasts\n"));
    code = code.substring(code.indexOf('\n'), code.indexOf("// guide:end"));
    String guide = Files.readString(common.resolve("../../docs/guide/versions.md"));
    assertThat(withoutSpace(guide)).contains(withoutSpace(code));
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }

  @Configuration
  @EnableAutoConfiguration
  static class Wrong {
    @Bean
    WrongSteps steps() {
      return new WrongSteps();
    }
  }

  static class WrongSteps {
    @Upcast(type = "Shipment", from = 1, to = 2)
    byte[] one(byte[] payload) {
      return payload;
    }

    @Upcast(type = "Shipment", from = 1, to = 2)
    byte[] two(byte[] payload) {
      return payload;
    }

    @Upcast(type = "Shipment", from = 3, to = 2)
    byte[] back(byte[] payload) {
      return payload;
    }

    @Upcast(type = "Shipment", from = 3, to = 4)
    byte[] behindTheGap(byte[] payload) {
      return payload;
    }

    @Upcast(type = "Noted", from = 1, to = 2)
    void nothing(byte[] payload) {}

    @Upcast(type = "Noted", from = 1, to = 2)
    byte[] ofTwo(byte[] payload, String other) {
      return payload;
    }
  }

  @Test
  void all_wrong_steps_are_reported_at_the_start_with_their_methods() {
    assertThatThrownBy(() -> App.start(Wrong.class).close())
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("WrongSteps.one of bean 'steps'")
        .hasMessageContaining("both start at version 1 of 'Shipment'")
        .hasMessageContaining(
            "WrongSteps.back of bean 'steps' leads from version 3 of 'Shipment' back to 2")
        .hasMessageContaining("add upcast(\"Shipment\", 2, 3, …)")
        .hasMessageContaining(
            "WrongSteps.nothing of bean 'steps' must return what is written as the payload")
        .hasMessageContaining("WrongSteps.ofTwo of bean 'steps' must have one parameter");
  }

  @Configuration
  @EnableAutoConfiguration
  static class TooOld {
    @Bean
    Old old() {
      return new Old();
    }
  }

  static class Old {
    @Upcast(type = "Shipment", from = 1, to = 2)
    byte[] one(byte[] payload) {
      return payload;
    }

    @MessageHandler(consumer = "depot")
    void ship(Shipment shipment) {}
  }

  @Test
  void steps_that_do_not_lead_to_the_version_of_a_handler_are_reported_with_its_method() {
    assertThatThrownBy(() -> App.start(TooOld.class).close())
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining(
            "the upcasters of 'Shipment' lead to version 2, but Old.ship of bean 'old' reads version 3: add upcast(\"Shipment\", 2, 3, …)");
  }
}

package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Text and bytes come back unchanged, whatever they contain. */
public abstract class ContentContract extends Contract {
  private static final List<String> HOSTILE =
      List.of(
          "'; DROP TABLE orders; --",
          "double \" quote, back \\ slash, \\\" both, \\u0041 escaped, /slash/",
          "{\"json\": [1, {\"a\": null}]}",
          "tab\t newline\n return\r bell\u0007 escape\u001b delete\u007f backspace\b formfeed\f",
          "ümlaut, 漢字, العربية, 😀, e\u0301, \u2028, \ufffd, \uffff, \ud83d\ude00",
          " leading and trailing ",
          "{NULL,\"\",{}}",
          "NULL",
          "$1 ? :name ${x} %s",
          "");

  @Test
  void hostile_header_values_come_back_unchanged() {
    Message.Builder builder = Message.of(TestMessages.TYPE);
    for (int i = 0; i < HOSTILE.size(); i++) {
      builder.header("h" + i, HOSTILE.get(i));
    }
    assertRoundTrip(builder.build());
  }

  @Test
  void hostile_header_names_come_back_unchanged() {
    Message.Builder builder = Message.of(TestMessages.TYPE);
    HOSTILE.forEach(name -> builder.header(name, "v"));
    assertRoundTrip(builder.build());
  }

  @Test
  void hostile_keys_and_content_types_come_back_unchanged() {
    for (String text : HOSTILE) {
      assertRoundTrip(
          Message.of(TestMessages.TYPE)
              .key(text, text)
              .payload(new byte[] {1}, text.isEmpty() ? "x" : text)
              .build());
    }
  }

  @Test
  void the_longest_headers_come_back_unchanged() {
    Message.Builder builder = Message.of(TestMessages.TYPE);
    for (int i = 0; i < 10; i++) {
      builder.header("h" + i, "\"\\é".repeat(1_300));
    }
    for (int i = 10; i < 62; i++) {
      builder.header("h" + i, "\u0001".repeat(250));
    }
    builder.header("last", "x".repeat(322)).header("😀", "");
    assertRoundTrip(builder.build());
  }

  @Test
  void payloads_of_any_bytes_come_back_unchanged() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    byte[] large = new byte[1 << 20];
    new Random(1).nextBytes(large);
    Stream.of(new byte[0], new byte[1], all, large, new byte[1 << 20])
        .forEach(
            bytes ->
                assertRoundTrip(
                    Message.of(TestMessages.TYPE)
                        .payload(bytes, "application/octet-stream")
                        .build()));
  }

  @Test
  void each_single_optional_field_comes_back_unchanged() {
    byte[] json = {'{', '}'};
    assertRoundTrip(Message.of(TestMessages.TYPE).json(json).build());
    assertRoundTrip(Message.of(TestMessages.TYPE).key("order", "1").json(json).build());
    assertRoundTrip(Message.of(TestMessages.TYPE).json(json).schemaVersion(2).build());
    assertRoundTrip(Message.of(TestMessages.TYPE).json(json).header("h", "v").build());
    assertRoundTrip(Message.of(TestMessages.TYPE).payload(json, "text/plain").build());
    assertRoundTrip(Message.of(TestMessages.TYPE).json(json).occurredAt(Instant.EPOCH).build());
  }

  @Test
  void the_earliest_and_the_latest_times_come_back_unchanged() {
    for (Instant time : List.of(Limits.EARLIEST, Limits.LATEST)) {
      assertRoundTrip(Message.of(TestMessages.TYPE).occurredAt(time).build());
    }
  }

  @Test
  void a_message_scheduled_for_the_latest_time_waits_and_delays_no_other() {
    TestLane shop = serve(SHOP);
    commit(
        Message.of(TestMessages.TYPE).key("k", "k").notBefore(Limits.LATEST).build(),
        TestMessages.message("other"));
    Batch batch = shop.batch();
    Delivery late = batch.deliveries().get(0);
    assertThat(late.message().notBefore()).isEqualTo(Limits.LATEST);
    shop.settle(batch, Moves.park(late, Waiting.TIME, 0, Duration.ZERO));
    assertThat(shop.claim(TestLane.ALL).state().dueIn()).isGreaterThan(Duration.ofDays(36_500));
    assertThat(shop.parked()).isEmpty();
    store().release(shop.lane());
  }

  /** By the statement for one message and by the one for many. */
  private void assertRoundTrip(Message message) {
    Limits.DEFAULT.check(message);
    Message again =
        new Message(
            java.util.UUID.randomUUID(),
            false,
            message.type(),
            message.schemaVersion(),
            message.key(),
            message.payload(),
            message.contentType(),
            message.headers(),
            message.occurredAt(),
            null);
    TestLane shop = serve(SHOP);
    commit(message);
    commit(again, TestMessages.message("other"));
    Batch batch = shop.batch();
    for (Delivery delivery : batch.deliveries().subList(0, 2)) {
      Message arrived = delivery.message();
      assertThat(arrived.headers()).isEqualTo(message.headers());
      assertThat(arrived.key()).isEqualTo(message.key());
      assertThat(arrived.contentType()).isEqualTo(message.contentType());
      assertThat(arrived.payload()).isEqualTo(message.payload());
      assertThat(arrived.schemaVersion()).isEqualTo(message.schemaVersion());
      assertThat(arrived.occurredAt())
          .isCloseTo(message.occurredAt(), within(1, ChronoUnit.MICROS));
    }
    shop.settle(batch);
    store().release(shop.lane());
  }
}

package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reading side reads exactly what the writing side wrote. */
class RoundTripTest {
  private static final List<String> PIECES =
      List.of(
          "a", "Z", "0", " ", "%", "%41", "%C5%BD", "%25", "\"", "\\", "/", ":", "\n", "\t", "é",
          "€", "😀", "\u0001", "+", "'");
  private static final List<String> PAYLOADS =
      List.of(
          "{}",
          " {\"a\" : [1, 2]} \n",
          "null",
          "\"text\\u00e9\"",
          "",
          "no json",
          "1,\"id\":\"x\"",
          "Ž");

  private final Random random = new Random(11);

  @ParameterizedTest
  @EnumSource(Transport.class)
  void binary_events_come_back_as_they_were(Transport transport) {
    roundTrips(transport, EnvelopeFormat.cloudEvents("/shop"));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void structured_events_come_back_as_they_were(Transport transport) {
    roundTrips(transport, EnvelopeFormat.structuredCloudEvents("/shop"));
  }

  private void roundTrips(Transport transport, EnvelopeFormat format) {
    for (int i = 0; i < 5_000; i++) {
      Message sent = message();
      Received received = carry(transport, format.envelop(sent, transport));
      Message read = received.message();
      assertThat(received.sender()).isEqualTo("/shop");
      assertThat(read.id()).isEqualTo(sent.id());
      assertThat(read.type()).isEqualTo(sent.type());
      assertThat(read.key()).isEqualTo(sent.key());
      assertThat(read.schemaVersion()).isEqualTo(sent.schemaVersion());
      assertThat(read.sequence()).isEqualTo(sent.sequence());
      assertThat(read.occurredAt()).isEqualTo(sent.occurredAt());
      assertThat(read.contentType()).isEqualTo(sent.contentType());
      assertThat(read.payload()).isEqualTo(sent.payload());
      assertThat(read.headers()).isEqualTo(sent.headers());
    }
  }

  private static Received carry(Transport transport, Envelope envelope) {
    Arrival arrival =
        Arrival.at(transport, "somewhere", envelope.body()).contentType(envelope.contentType());
    envelope.headers().forEach((name, value) -> arrival.header(name, value.getBytes(UTF_8)));
    return EnvelopeReader.cloudEvents().read(arrival, false, null);
  }

  private Message message() {
    Message.Builder message =
        Message.of("order.Placed")
            .schemaVersion(1 + random.nextInt(5))
            .occurredAt(Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)));
    if (random.nextBoolean()) {
      message.key("Order" + text(), text() + "x");
    }
    String payload = PAYLOADS.get(random.nextInt(PAYLOADS.size()));
    message.payload(
        payload.getBytes(UTF_8), random.nextBoolean() ? "application/json" : "text/plain");
    if (random.nextBoolean()) {
      message.correlationId("c" + text()).causationId("d" + text());
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      message.header("x-" + i, text());
    }
    return message.build().withSequence(random.nextInt(3) * (random.nextLong() >>> 2));
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }
}

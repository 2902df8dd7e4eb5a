package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Address;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.Transport;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes parcels, and rejects everything that the protocol cannot carry.
 *
 * <p>A client that fails in the middle of a publish has counted the message, but the broker has
 * not. From then on, confirms would be attributed to the wrong messages.
 */
final class Parcels {
  private static final int PERSISTENT = 2;
  private static final int SHORT_TEXT = 255;
  // All headers are sent in one frame, which has 128 KiB by default.
  private static final int MOST_HEADERS = 100 << 10;

  private final RabbitMqConfig config;
  private final BrokerState brokerState;

  Parcels(RabbitMqConfig config, BrokerState brokerState) {
    this.config = config;
    this.brokerState = brokerState;
  }

  /**
   * Makes the parcel of one message.
   *
   * @throws RejectedException if the protocol cannot carry the message
   */
  Parcel of(Message message) {
    Envelope envelope = config.envelope().envelop(message, Transport.AMQP);
    if (envelope.body().length > brokerState.maxMessageSize()) {
      throw new RejectedException(
          Reason.TOO_LARGE,
          "the body has %d bytes, the limit is %d"
              .formatted(envelope.body().length, brokerState.maxMessageSize()));
    }
    Address exchange = config.exchange();
    return new Parcel(
        exchange == null ? "" : address(exchange.of(message)),
        address(config.routingKey().of(message)),
        properties(message, envelope),
        envelope.body());
  }

  private static AMQP.BasicProperties properties(Message message, Envelope envelope) {
    if (!isShort(envelope.contentType())) {
      throw new RejectedException(
          Reason.INVALID_HEADER, "the content type is longer than %d bytes".formatted(SHORT_TEXT));
    }
    return new AMQP.BasicProperties.Builder()
        .messageId(message.id().toString())
        .type(shortOrNone(message.type()))
        .timestamp(Date.from(message.occurredAt()))
        .contentType(envelope.contentType())
        .correlationId(shortOrNone(message.headers().get(Headers.CORRELATION_ID)))
        .headers(headers(envelope))
        .deliveryMode(PERSISTENT)
        .build();
  }

  private static Map<String, Object> headers(Envelope envelope) {
    int bytes = 0;
    for (Map.Entry<String, String> header : envelope.headers().entrySet()) {
      if (!isShort(header.getKey())) {
        throw new RejectedException(
            Reason.INVALID_HEADER,
            "the name of a header is longer than %d bytes: %s"
                .formatted(SHORT_TEXT, header.getKey()));
      }
      bytes += header.getKey().length() * 3 + header.getValue().getBytes(UTF_8).length;
    }
    if (bytes > MOST_HEADERS) {
      throw new RejectedException(
          Reason.INVALID_HEADER,
          "the headers have %d bytes in total, the limit is %d".formatted(bytes, MOST_HEADERS));
    }
    return new HashMap<>(envelope.headers());
  }

  private static String address(String name) {
    if (!isShort(name)) {
      throw new RejectedException(
          Reason.INVALID_ADDRESS,
          "this message's exchange or routing key is longer than %d bytes: %s"
              .formatted(SHORT_TEXT, name));
    }
    return name;
  }

  /** Omits properties that are too long: the envelope's headers contain them too. */
  private static @Nullable String shortOrNone(@Nullable String text) {
    return text != null && isShort(text) ? text : null;
  }

  private static boolean isShort(String text) {
    return text.length() <= SHORT_TEXT / 3 || text.getBytes(UTF_8).length <= SHORT_TEXT;
  }
}

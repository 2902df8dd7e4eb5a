package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.LongString;
import io.posthorn.core.message.Headers;
import io.posthorn.core.source.Received;
import io.posthorn.envelope.Arrival;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.envelope.Transport;
import java.util.Date;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns messages delivered by a queue into received messages. */
record QueuedMessageReader(String queue, EnvelopeReader reader) {
  Received of(
      AMQP.BasicProperties properties, byte[] body, boolean again, ConsumingChannel.Place place) {
    Date time = properties.getTimestamp();
    Arrival arrival =
        Arrival.at(Transport.AMQP, queue, body)
            .contentType(properties.getContentType())
            .id(properties.getMessageId())
            .type(properties.getType())
            .time(time == null ? null : time.toInstant());
    if (properties.getCorrelationId() != null) {
      arrival.header(Headers.CORRELATION_ID, properties.getCorrelationId());
    }
    Map<String, Object> headers = properties.getHeaders();
    if (headers != null) {
      headers.forEach((name, value) -> arrival.header(name, bytes(value)));
    }
    return reader.read(arrival, again, place);
  }

  /** The broker's own headers, such as x-death, hold lists and tables; they are kept as text. */
  private static byte[] bytes(@Nullable Object value) {
    if (value instanceof LongString text) {
      return text.getBytes();
    }
    if (value instanceof byte[] binary) {
      return binary;
    }
    Object shown = value instanceof Date time ? time.toInstant() : value;
    return (shown == null ? "" : shown.toString()).getBytes(UTF_8);
  }
}

package io.posthorn.kafka;

import io.posthorn.core.source.Received;
import io.posthorn.envelope.Arrival;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.envelope.Transport;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Makes messages of Kafka's records. */
record RecordReader(EnvelopeReader reader) {
  private static final byte[] NOTHING = {};

  Received of(ConsumerRecord<byte @Nullable [], byte @Nullable []> found, Holding.Place place) {
    byte[] value = found.value();
    Arrival arrival =
        Arrival.at(Transport.KAFKA, found.topic(), value == null ? NOTHING : value)
            // With the time: a topic that is made anew begins with the same numbers.
            .place(found.partition() + "/" + found.offset() + "/" + found.timestamp())
            .key(found.key())
            .time(found.timestamp() > 0 ? Instant.ofEpochMilli(found.timestamp()) : null);
    for (Header header : found.headers()) {
      byte[] text = header.value();
      arrival.header(header.key(), text == null ? NOTHING : text);
    }
    if (value == null) {
      arrival.header(KafkaSource.TOMBSTONE, "true");
    }
    return reader.read(arrival, false, place);
  }
}

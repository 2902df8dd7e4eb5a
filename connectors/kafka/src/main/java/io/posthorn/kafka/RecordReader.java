package io.posthorn.kafka;

import io.posthorn.core.source.Received;
import io.posthorn.envelope.Arrival;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.envelope.Transport;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Turns Kafka records into received messages. */
record RecordReader(EnvelopeReader reader) {
  private static final byte[] NOTHING = {};

  Received of(
      ConsumerRecord<byte @Nullable [], byte @Nullable []> record, HeldPartition.Place place) {
    byte[] value = record.value();
    Arrival arrival =
        Arrival.at(Transport.KAFKA, record.topic(), value == null ? NOTHING : value)
            // The timestamp is part of the place because a recreated topic starts its offsets at 0
            // again.
            .place(record.partition() + "/" + record.offset() + "/" + record.timestamp())
            .key(record.key())
            .time(record.timestamp() > 0 ? Instant.ofEpochMilli(record.timestamp()) : null);
    for (Header header : record.headers()) {
      byte[] text = header.value();
      arrival.header(header.key(), text == null ? NOTHING : text);
    }
    if (value == null) {
      arrival.header(KafkaSource.TOMBSTONE, "true");
    }
    return reader.read(arrival, false, place);
  }
}

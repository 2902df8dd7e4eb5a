package io.posthorn.spring.connector;

import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;

/** Chooses how messages are wrapped and unwrapped. */
final class Envelopes {
  private Envelopes() {}

  static EnvelopeFormat format(DestinationProperties destination, Surroundings around) {
    String sender = destination.sender() == null ? around.sender() : destination.sender();
    return switch (destination.envelope()) {
      case CLOUD_EVENTS -> EnvelopeFormat.cloudEvents(sender);
      case STRUCTURED_CLOUD_EVENTS -> EnvelopeFormat.structuredCloudEvents(sender);
      case PLAIN -> EnvelopeFormat.PLAIN;
    };
  }

  static EnvelopeReader reader(SourceProperties source) {
    EnvelopeReader reader =
        source.type() != null
            ? EnvelopeReader.plain(source.type())
            : source.typeHeader() != null
                ? EnvelopeReader.plainByHeader(source.typeHeader())
                : EnvelopeReader.cloudEvents();
    return source.idHeader() == null ? reader : reader.idFrom(source.idHeader());
  }
}

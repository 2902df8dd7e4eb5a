package io.posthorn.envelope;

import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;

/**
 * How messages are wrapped. The usual format is CloudEvents in binary mode: the payload is the
 * body, the attributes are headers, and the application's own headers are sent beside them.
 */
@FunctionalInterface
public interface EnvelopeFormat {
  /** Payload and headers unchanged, for receivers that do not use CloudEvents. */
  EnvelopeFormat PLAIN =
      (message, transport) ->
          new Envelope(message.contentType(), OwnHeaders.of(message, transport), message.payload());

  /**
   * Returns the message as this transport carries it.
   *
   * @throws RejectedException if the transport cannot carry one of the message's headers; {@link
   *     io.posthorn.core.connector.Classifier} turns it into a rejected outcome
   */
  Envelope envelop(Message message, Transport transport);

  /**
   * CloudEvents 1.0 in binary mode.
   *
   * @param sender the CloudEvents attribute {@code source}: a URI reference, for example {@code
   *     /shop/orders}; together with the id it identifies a message uniquely
   */
  static EnvelopeFormat cloudEvents(String sender) {
    Attributes attributes = Attributes.from(sender);
    return (message, transport) -> {
      var headers = OwnHeaders.of(message, transport);
      attributes
          .of(message)
          .forEach(
              (name, value) -> headers.put(transport.prefix() + name, transport.attribute(value)));
      return new Envelope(message.contentType(), headers, message.payload());
    };
  }

  /** CloudEvents 1.0 in structured mode: attributes and payload form one JSON document. */
  static EnvelopeFormat structuredCloudEvents(String sender) {
    Attributes attributes = Attributes.from(sender);
    // In lower case: the official JavaScript SDK compares the content type with that text.
    return (message, transport) ->
        new Envelope(
            "application/cloudevents+json; charset=utf-8",
            OwnHeaders.of(message, transport),
            StructuredJson.of(attributes.of(message), message));
  }
}

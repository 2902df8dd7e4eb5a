package io.posthorn.envelope;

import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;

/**
 * How messages are put into envelopes. CloudEvents in binary mode is the usual one: the payload is
 * the body, the attributes are headers, and the application's own headers travel beside them.
 */
@FunctionalInterface
public interface EnvelopeFormat {
  /** Payload and headers as they are, for receivers that know nothing of CloudEvents. */
  EnvelopeFormat PLAIN =
      (message, transport) ->
          new Envelope(message.contentType(), OwnHeaders.of(message, transport), message.payload());

  /**
   * The message as this transport carries it.
   *
   * @throws RejectedException if a header of the message cannot be carried; {@link
   *     io.posthorn.core.connector.Classifier} makes a rejected outcome of it
   */
  Envelope envelop(Message message, Transport transport);

  /**
   * CloudEvents 1.0 in binary mode.
   *
   * @param sender who sends, the attribute {@code source}: a URI reference, for example {@code
   *     /shop/orders}; with the id it names a message uniquely
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

  /** CloudEvents 1.0 in structured mode: attributes and payload are one JSON document. */
  static EnvelopeFormat structuredCloudEvents(String sender) {
    Attributes attributes = Attributes.from(sender);
    return (message, transport) ->
        new Envelope(
            "application/cloudevents+json; charset=UTF-8",
            OwnHeaders.of(message, transport),
            StructuredJson.of(attributes.of(message), message));
  }
}

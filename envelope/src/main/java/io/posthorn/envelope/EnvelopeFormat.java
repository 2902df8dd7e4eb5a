package io.posthorn.envelope;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How messages are put into envelopes. CloudEvents in binary mode is the default: the payload is
 * the body, the attributes are headers, and the application's own headers travel beside them.
 */
public sealed interface EnvelopeFormat {
  /** Payload and headers as they are, for receivers that know nothing of CloudEvents. */
  EnvelopeFormat PLAIN = new Plain();

  /**
   * CloudEvents 1.0 in binary mode.
   *
   * @param source who sends, a URI reference, for example {@code /shop/orders}; with the id it
   *     names a message uniquely
   */
  static EnvelopeFormat cloudEvents(String source) {
    return new Binary(new Attributes(checked(source)));
  }

  /** CloudEvents 1.0 in structured mode: attributes and payload are one JSON document. */
  static EnvelopeFormat structuredCloudEvents(String source) {
    return new Structured(new Attributes(checked(source)));
  }

  /**
   * The message as this transport carries it.
   *
   * @throws RejectedException if a header of the message cannot be carried; {@link
   *     io.posthorn.core.connector.Classifier} makes a rejected outcome of it
   */
  Envelope envelop(Message message, Transport transport);

  private static String checked(String source) {
    try {
      if (!source.isEmpty()) {
        return URI.create(source).toString();
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw new PosthornException(
        ErrorCode.CONFIGURATION,
        "the envelope was not configured: source '%s' is not a URI reference. Give one that names the sender, for example /shop/orders."
            .formatted(source));
  }

  /** The application's headers, in a map that takes more. */
  private static Map<String, String> headers(Message message, Transport transport) {
    Map<String, String> headers = new LinkedHashMap<>();
    message
        .headers()
        .forEach(
            (name, value) -> {
              if (!transport.takesHeader(name)) {
                throw new RejectedException(
                    Reason.INVALID_HEADER,
                    "header '%s' cannot be carried by %s: the name is not allowed there, or the envelope uses it. Rename the header."
                        .formatted(name, transport));
              }
              headers.put(name, transport.header(value));
            });
    return headers;
  }

  /** See {@link #PLAIN}. */
  record Plain() implements EnvelopeFormat {
    @Override
    public Envelope envelop(Message message, Transport transport) {
      return new Envelope(message.contentType(), headers(message, transport), message.payload());
    }
  }

  /** See {@link #cloudEvents}. */
  record Binary(Attributes attributes) implements EnvelopeFormat {
    @Override
    public Envelope envelop(Message message, Transport transport) {
      Map<String, String> headers = headers(message, transport);
      attributes
          .of(message)
          .forEach(
              (name, value) -> headers.put(transport.prefix() + name, transport.attribute(value)));
      return new Envelope(message.contentType(), headers, message.payload());
    }
  }

  /** See {@link #structuredCloudEvents}. */
  record Structured(Attributes attributes) implements EnvelopeFormat {
    @Override
    public Envelope envelop(Message message, Transport transport) {
      return new Envelope(
          "application/cloudevents+json; charset=UTF-8",
          headers(message, transport),
          StructuredJson.of(attributes.of(message), message));
    }
  }
}

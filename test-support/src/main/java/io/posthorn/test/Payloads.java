package io.posthorn.test;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadMapper;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The test's settings for types and payloads: the type of each class, and how payloads are read.
 */
final class Payloads {
  private MessageTypes types = MessageTypes.learning();
  private @Nullable PayloadReader reader = found();
  private @Nullable PayloadWriter writer = found();
  private PayloadCipher cipher = PayloadCipher.NONE;

  private static @Nullable PayloadMapper found() {
    return ServiceLoader.load(PayloadMapper.class, Payloads.class.getClassLoader())
        .findFirst()
        .orElse(null);
  }

  void types(MessageTypes messageTypes) {
    this.types = messageTypes;
  }

  void reader(PayloadReader payloadReader) {
    this.reader = payloadReader;
  }

  void writer(PayloadWriter payloadWriter) {
    this.writer = payloadWriter;
  }

  MessageTypes types() {
    return types;
  }

  PayloadReader reader() {
    return reader != null
        ? reader
        : (payload, event) -> {
          throw new IllegalStateException(noReader(event));
        };
  }

  PayloadWriter writer() {
    return writer != null
        ? writer
        : event -> {
          throw new IllegalStateException(
              ("%s was not published: no payload writer is set. Add posthorn-json, or call "
                      + "payloads(mapper::writeValueAsBytes, mapper::readValue) on PosthornTest.")
                  .formatted(event.getClass().getSimpleName()));
        };
  }

  private static String noReader(Class<?> event) {
    return "the payload was not read as %s: no payload reader is set. Add posthorn-json, or call payloads(mapper::readValue) on PosthornTest."
        .formatted(event.getSimpleName());
  }

  void cipher(PayloadCipher payloadCipher) {
    this.cipher = payloadCipher;
  }

  PayloadCipher cipher() {
    return cipher;
  }

  String typeOf(Class<?> event) {
    return types
        .of(event)
        .map(MessageType::name)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    ("%s has no registered type. Pass the application's MessageTypes to "
                            + "PosthornTest with types(…), or use the type's name.")
                        .formatted(event.getName())));
  }

  <E> E read(Message message, Class<E> event) {
    if (reader == null) {
      throw new IllegalStateException(noReader(event));
    }
    try {
      return event.cast(Objects.requireNonNull(reader.read(message.payload(), event)));
    } catch (Exception e) {
      throw new AssertionError(
          "the payload of %s could not be read as %s: %s"
              .formatted(message, event.getSimpleName(), Shown.payload(message)),
          e);
    }
  }
}

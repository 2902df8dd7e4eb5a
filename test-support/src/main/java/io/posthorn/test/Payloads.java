package io.posthorn.test;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the test said of its types: which class has which, and how a payload is read. */
final class Payloads {
  private MessageTypes types = MessageTypes.of();
  private @Nullable PayloadReader reader;
  private @Nullable PayloadWriter writer;
  private PayloadCipher cipher = PayloadCipher.NONE;

  void types(MessageTypes yours) {
    this.types = yours;
  }

  void reader(PayloadReader yours) {
    this.reader = yours;
  }

  void writer(PayloadWriter yours) {
    this.writer = yours;
  }

  MessageTypes types() {
    return types;
  }

  PayloadReader reader() {
    return reader != null
        ? reader
        : (payload, event) -> {
          throw new IllegalStateException(unsaid(event));
        };
  }

  PayloadWriter writer() {
    return writer != null
        ? writer
        : event -> {
          throw new IllegalStateException(
              "%s was not published: nobody said how it is written. Say it with payloads(mapper::writeValueAsBytes, mapper::readValue) of PosthornTest."
                  .formatted(event.getClass().getSimpleName()));
        };
  }

  private static String unsaid(Class<?> event) {
    return "the payload was not read as %s: nobody said how. Say it with payloads(mapper::readValue) of PosthornTest."
        .formatted(event.getSimpleName());
  }

  void cipher(PayloadCipher yours) {
    this.cipher = yours;
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
                    "%s has no type here. Give PosthornTest the application's MessageTypes with types(…), or ask by the type's name."
                        .formatted(event.getName())));
  }

  <E> E read(Message message, Class<E> event) {
    if (reader == null) {
      throw new IllegalStateException(unsaid(event));
    }
    try {
      return event.cast(Objects.requireNonNull(reader.read(message.payload(), event)));
    } catch (Exception e) {
      throw new AssertionError(
          "the payload of %s is no %s: %s"
              .formatted(message, event.getSimpleName(), Shown.payload(message)),
          e);
    }
  }
}

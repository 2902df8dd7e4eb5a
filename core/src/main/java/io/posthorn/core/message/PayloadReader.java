package io.posthorn.core.message;

import org.jspecify.annotations.Nullable;

/**
 * Converts a payload to an event object with the mapper that you use, for example Jackson's {@code
 * mapper::readValue}. The class is the one that is registered for the type's name; a message never
 * names a class.
 */
@FunctionalInterface
public interface PayloadReader {
  /**
   * Reads one payload. If it throws, the message becomes a dead letter at once: bytes that cannot
   * be read today cannot be read tomorrow.
   */
  @Nullable Object read(byte[] payload, Class<?> eventClass) throws Exception;

  /**
   * Reads the payload of one message, after its upcasters. Override it for a reader that needs the
   * version, the content type or the headers; by default it reads only the payload.
   */
  default @Nullable Object read(Message message, Class<?> eventClass) throws Exception {
    return read(message.payload(), eventClass);
  }
}

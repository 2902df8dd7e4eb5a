package io.posthorn.core.message;

/**
 * Converts an event object to a payload with the mapper that you use, for example Jackson's {@code
 * mapper::writeValueAsBytes}. Posthorn contains no mapper.
 */
@FunctionalInterface
public interface PayloadWriter {
  /**
   * Writes one event. It may throw any exception, because mappers have checked exceptions of their
   * own; {@code add} then fails and names the type.
   */
  byte[] write(Object event) throws Exception;
}

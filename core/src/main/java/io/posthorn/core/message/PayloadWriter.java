package io.posthorn.core.message;

/**
 * Turns an event object into bytes: your own mapper, for example {@code mapper::writeValueAsBytes}
 * of Jackson. Posthorn brings none.
 */
@FunctionalInterface
public interface PayloadWriter {
  // The mappers in use throw checked exceptions of their own; what they throw is reported with the
  // type.
  byte[] write(Object event) throws Exception;
}

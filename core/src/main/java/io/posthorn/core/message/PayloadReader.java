package io.posthorn.core.message;

import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into an event object: your own mapper, for example {@code mapper::readValue} of
 * Jackson. The class is the one registered for the type's name; nothing in the message names it.
 */
@FunctionalInterface
public interface PayloadReader {
  // What it throws makes the message a dead letter: bytes that cannot be read never can.
  @Nullable Object read(byte[] payload, Class<?> eventClass) throws Exception;
}

package io.posthorn.core.message;

import java.util.function.Function;

/**
 * Converts a payload of one version of a type to a later version, so that handlers only know the
 * newest one. Register it with {@link Upcast}.
 *
 * <p>The same payload must always give the same result: it is converted again at each attempt, in
 * previews and in tests. What is stored is never changed.
 */
@FunctionalInterface
public interface Upcaster {
  /**
   * Returns the payload unchanged: the later version can be read like the earlier one, for example
   * because it only added an optional property.
   */
  Upcaster UNCHANGED = payload -> payload;

  /**
   * Converts one payload. If it throws, the message counts as failed by its handler, with the
   * reason {@code UPCAST_FAILED}: it is retried, and becomes a dead letter after its last attempt.
   */
  byte[] upcast(byte[] payload) throws Exception;

  /**
   * An upcaster that reads the payload as objects of a class, and writes the object that the
   * conversion returns. The class may be the earlier version of the event, a map, or a tree of your
   * JSON library.
   */
  static <A> Upcaster reading(
      Class<A> earlier,
      PayloadReader reader,
      PayloadWriter writer,
      Function<? super A, ?> conversion) {
    return new ObjectUpcaster<>(earlier, reader, writer, conversion);
  }
}

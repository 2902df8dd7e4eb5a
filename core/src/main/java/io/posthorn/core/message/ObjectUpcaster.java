package io.posthorn.core.message;

import java.util.Objects;
import java.util.function.Function;

/** Converts payloads as objects. */
record ObjectUpcaster<A>(
    Class<A> earlier, PayloadReader reader, PayloadWriter writer, Function<? super A, ?> conversion)
    implements Upcaster {
  @Override
  public byte[] upcast(byte[] payload) throws Exception {
    Object read;
    try {
      read = reader.read(payload, earlier);
    } catch (Exception e) {
      // The exception's text could quote the payload.
      throw new UnreadablePayloadException(
          "it could not be read as %s: %s"
              .formatted(earlier.getSimpleName(), e.getClass().getSimpleName()));
    }
    if (!earlier.isInstance(read)) {
      throw new UnreadablePayloadException(
          "it could not be read as %s: it is %s"
              .formatted(earlier.getSimpleName(), read == null ? "null" : "a " + read.getClass()));
    }
    Object converted = conversion.apply(earlier.cast(read));
    return writer.write(Objects.requireNonNull(converted, "the conversion returned null"));
  }
}

package io.posthorn.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The smallest file that delivers something. */
final class Example {
  private Example() {}

  static String minimal() {
    try (InputStream in =
        Objects.requireNonNull(Example.class.getResourceAsStream("minimal.yaml"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

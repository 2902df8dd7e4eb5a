package io.posthorn.observe;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The files that this module publishes. */
final class Resources {
  private Resources() {}

  static String text(String name) {
    try (var in = OutboxMetrics.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.posthorn.spring.connector;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ResourceUtils;

/** Resolves files that Spring's settings name as resources, for clients that need a path. */
final class Files {
  private Files() {}

  static @Nullable String path(@Nullable String resource) {
    try {
      return resource == null ? null : ResourceUtils.getFile(resource).getAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

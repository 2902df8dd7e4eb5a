package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Records the result of each promise, one line each in {@code target/connector-matrix.tsv}:
 * connector, promise, and {@code kept}, {@code broken} or {@code does not apply}.
 */
final class ConnectorMatrix implements TestWatcher {
  private static final Path FILE = Path.of("target", "connector-matrix.tsv");

  private final Supplier<String> connector;

  ConnectorMatrix(Supplier<String> connector) {
    this.connector = connector;
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    write(context, "kept");
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    write(context, "broken");
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    write(context, "does not apply");
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    write(context, "not tested");
  }

  private void write(ExtensionContext context, String result) {
    String line =
        "%s\t%s\t%s%n"
            .formatted(
                connector.get(),
                context.getRequiredTestMethod().getName().replace('_', ' '),
                result);
    try {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, line, UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

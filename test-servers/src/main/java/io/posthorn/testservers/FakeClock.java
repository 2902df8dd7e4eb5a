package io.posthorn.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A wrong clock for the processes that use it. Their time of day is ahead of this machine's, or
 * behind it, by the shift, and jumps when the shift is changed. Only the time of day is faked:
 * clocks that measure durations, such as {@code System.nanoTime}, are unaffected.
 *
 * <p>It works by preloading libfaketime. Each reading of the clock then takes about ten
 * microseconds.
 */
public final class FakeClock implements AutoCloseable {
  private static final String PROPERTY = "posthorn.faketime";
  private static final String PROGRAM = "faketime";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Pattern LEFT_BEHIND = Pattern.compile("(?:sem\\.)?faketime_s.m_(\\d+)");

  private final String library = library(program());
  private final Path directory = ScratchDirectory.directory("clock");
  private final Path file = directory.resolve("shift");

  private FakeClock(Duration shift) {
    allow(directory, "rwxr-xr-x");
    shift(shift);
  }

  /** Creates a clock that is ahead by this duration, or behind if the duration is negative. */
  public static FakeClock shifted(Duration by) {
    return new FakeClock(by);
  }

  /** Changes the shift: from now on the clock is ahead of this machine's by this duration. */
  public void shift(Duration by) {
    try {
      Path next = directory.resolve("next");
      Files.writeString(next, String.format(Locale.ROOT, "%+.3f", by.toMillis() / 1_000.0));
      allow(next, "rw-r--r--");
      // The atomic move ensures that no process reads half of the file.
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library,
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_NO_CACHE", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        // This fix is meant for C libraries before 2.25. With a newer one, timed waits would end at
        // once.
        "FAKETIME_FORCE_MONOTONIC_FIX", "0");
  }

  private static void allow(Path path, String permissions) {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks the program for the path of its library, which it preloads. */
  private static String library(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "-m", "-f", "+0", "printenv", "LD_PRELOAD")
              .redirectErrorStream(true)
              .start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new TestServerException(program + " failed: " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while running " + program, e);
    }
  }

  private static Path program() {
    Optional<String> given = UserSetting.value(PROPERTY);
    Stream<Path> places =
        given.isPresent()
            ? given.map(Path::of).stream()
            : Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(path -> Path.of(path, PROGRAM));
    return places
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new TestServerException(
                    ("faketime was not found in %s. Install it (on Debian: apt-get "
                            + "install faketime) or set the variable %s to the program.")
                        .formatted(given.orElse("PATH"), UserSetting.variable(PROPERTY))));
  }

  /** Removes the clock's files. All processes that use it must have ended. */
  @Override
  public void close() {
    ScratchDirectory.remove(directory);
    try (Stream<Path> files = Files.list(SHARED_MEMORY)) {
      files.filter(FakeClock::isLeftBehind).forEach(FakeClock::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each process has two files there; a killed process does not remove them. */
  private static boolean isLeftBehind(Path file) {
    Matcher matcher = LEFT_BEHIND.matcher(file.getFileName().toString());
    return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

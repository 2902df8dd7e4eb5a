package io.posthorn.core.operate.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Reads what a {@link FileArchive} has written, and checks that it is unchanged. */
public final class ArchiveFiles {
  private static final Pattern NAME =
      Pattern.compile(
          "(messages|letters)-(\\d{4}-\\d{2}-\\d{2})-(\\d{19})-(\\d+)-([0-9a-f]{64})\\.jsonl\\.gz");

  private ArchiveFiles() {}

  /** Returns the file itself, or all parts in the directory in the order of their names. */
  public static List<Path> in(Path fileOrDirectory) {
    if (!Files.isDirectory(fileOrDirectory)) {
      return List.of(fileOrDirectory);
    }
    try (Stream<Path> files = Files.list(fileOrDirectory)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(FileArchive.SUFFIX))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw unreadable(fileOrDirectory, "the directory cannot be read: " + e, e);
    }
  }

  /**
   * Reads a part.
   *
   * @throws PosthornException if the part is incomplete or was changed
   */
  public static Part read(Path file) {
    Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
    if (!name.matches()) {
      throw unreadable(file, "its name is not the name of a part", null);
    }
    List<String> lines;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), UTF_8))) {
      lines = reader.lines().toList();
    } catch (IOException | UncheckedIOException e) {
      throw unreadable(file, "it is truncated, damaged or unreadable: " + Sanitiser.text(e), e);
    }
    if (!Part.digest(lines).equals(name.group(5))) {
      throw unreadable(file, "its content is not what its name says", null);
    }
    return new Part(
        Part.Kind.valueOf(name.group(1).toUpperCase(Locale.ROOT)),
        LocalDate.parse(name.group(2)),
        Long.parseLong(name.group(3)),
        lines);
  }

  private static PosthornException unreadable(Path file, String why, @Nullable Throwable cause) {
    return new PosthornException(
        ErrorCode.ARCHIVE_DAMAGED,
        "'%s' was not read: %s. Replace it with a copy; other files are not affected."
            .formatted(file, why),
        cause);
  }
}

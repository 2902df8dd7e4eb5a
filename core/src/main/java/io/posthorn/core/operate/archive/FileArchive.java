package io.posthorn.core.operate.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;

/**
 * Gzipped JSON lines in a directory, one file for each part. A file is written under another name,
 * brought to disk, and only then gets its own, so whoever finds a file finds all of it. They hold
 * payloads: only the owner may read them, and enter a directory that was made for them.
 */
public final class FileArchive implements Archive {
  static final String SUFFIX = ".jsonl.gz";
  private static final String UNFINISHED = ".unfinished";

  private final Path directory;

  private FileArchive(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
  }

  /** In this directory, which is made if it is missing; one that exists keeps its permissions. */
  public static FileArchive in(Path directory) {
    return new FileArchive(directory);
  }

  @Override
  public String name() {
    return "files " + directory;
  }

  @Override
  public void append(Part part) {
    Path file = directory.resolve(part.name() + SUFFIX);
    try {
      Files.createDirectories(directory, OwnerOnly.directory(directory));
      if (!Files.exists(file)) {
        write(part, file);
      }
    } catch (IOException e) {
      throw new PosthornException(
          ErrorCode.ARCHIVE_FAILED,
          "%d lines were not archived: '%s' could not be written (%s). Nothing was removed; see that the directory is there, writable and not full."
              .formatted(part.lines().size(), file, e),
          e);
    }
  }

  private void write(Part part, Path file) throws IOException {
    Path unfinished = directory.resolve(UUID.randomUUID() + UNFINISHED);
    try {
      try (FileChannel channel =
          FileChannel.open(
              unfinished,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              OwnerOnly.file(unfinished))) {
        OutputStream raw = Channels.newOutputStream(channel);
        GZIPOutputStream out = new GZIPOutputStream(raw, 1 << 16);
        for (String line : part.lines()) {
          out.write(line.getBytes(UTF_8));
          out.write('\n');
        }
        out.finish();
        channel.force(true);
      }
      move(unfinished, file);
      syncDirectory();
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException("the file system cannot rename at once", e);
    }
  }

  /** The new name must survive a crash too. Where a directory cannot be opened, it does anyway. */
  private void syncDirectory() throws IOException {
    if (!System.getProperty("os.name", "").startsWith("Windows")) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}

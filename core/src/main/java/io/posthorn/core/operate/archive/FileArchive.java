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
 * Archives parts as gzipped JSON lines in a directory, one file per part.
 *
 * <p>A file is written under a temporary name, flushed to disk, and then renamed, so a file with
 * its final name is always complete. Files contain payloads: only their owner can read them, or
 * enter a directory that this class has created.
 */
public final class FileArchive implements Archive {
  static final String SUFFIX = ".jsonl.gz";
  private static final String UNFINISHED = ".unfinished";

  private final Path directory;

  private FileArchive(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
  }

  /**
   * Archives into this directory. It is created if it is missing; an existing directory keeps its
   * permissions.
   */
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
          "%d lines were not archived: '%s' could not be written (%s). Nothing was removed. Check that the directory exists, is writable and is not full."
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
      throw new IOException("the file system has no atomic rename", e);
    }
  }

  /**
   * Makes the new name survive a crash. Windows cannot open a directory, and does not need this.
   */
  private void syncDirectory() throws IOException {
    if (!System.getProperty("os.name", "").startsWith("Windows")) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}

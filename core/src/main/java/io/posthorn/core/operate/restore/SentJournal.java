package io.posthorn.core.operate.restore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.Delivery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records on this machine which messages a relay has sent, as soon as the destination confirms
 * them, also if the relay has lost the database meanwhile. After a failover to a server that lacks
 * the last transactions, {@link Restore#ghosts} compares this record with the database and lists
 * what was sent but does not exist there any more.
 *
 * <pre>
 * relay.observer(SentJournal.in(Path.of("/var/lib/shop/posthorn")))
 * </pre>
 *
 * <p>A journal has at most two files and removes files older than {@link #KEPT} when it is opened,
 * so a directory stays small. Only the owner can read the files. They contain ids, types and names
 * of destinations, never a key or a payload. A write error is logged once a minute and never stops
 * a delivery.
 */
public final class SentJournal implements Observer, AutoCloseable {
  /** How long files are kept that no relay writes any more. */
  public static final Duration KEPT = Duration.ofDays(8);

  private static final Logger LOG = LoggerFactory.getLogger(SentJournal.class);
  private static final String SUFFIX = ".sent";
  private static final long FILE_BYTES = 32L << 20;
  private static final long RETRY_NANOS = Duration.ofMinutes(1).toNanos();

  private final Path directory;
  private final long fileBytes;
  private final UUID id = UUID.randomUUID();
  private final List<Path> files = new ArrayList<>();
  private @Nullable FileChannel channel;
  private int opened;
  private long written;
  private long brokenUntil;
  private boolean broken;

  private SentJournal(Path directory, long fileBytes) {
    this.directory = directory;
    this.fileBytes = fileBytes;
  }

  /** Records in new files of this directory, which several relays may share. */
  public static SentJournal in(Path directory) {
    return in(directory, FILE_BYTES);
  }

  static SentJournal in(Path directory, long fileBytes) {
    try {
      Files.createDirectories(directory, permissions(directory, "rwx------"));
      removeOld(directory);
      SentJournal journal = new SentJournal(directory, fileBytes);
      journal.nextFile();
      return journal;
    } catch (IOException e) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the journal of sent messages was not opened: directory %s is not writable (%s). Give the relay's user a directory it can write to."
              .formatted(directory, e.getClass().getSimpleName()),
          e);
    }
  }

  @Override
  public void on(Event event) {
    // A received message was never in this database's log.
    if (event instanceof Event.Confirmed confirmed && confirmed.delivery().sender() == null) {
      write(line(confirmed.destination(), confirmed.delivery()));
    }
  }

  private static String line(String destination, Delivery delivery) {
    return String.join(
            "\t",
            Instant.now().toString(),
            delivery.message().id().toString(),
            Long.toString(delivery.seq()),
            delivery.message().type(),
            destination)
        + "\n";
  }

  private synchronized void write(String line) {
    if (broken && System.nanoTime() - brokenUntil < 0) {
      return;
    }
    try {
      FileChannel open = channel;
      if (open == null || written >= fileBytes) {
        open = nextFile();
      }
      ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        written += open.write(bytes);
      }
      broken = false;
    } catch (IOException e) {
      broken = true;
      brokenUntil = System.nanoTime() + RETRY_NANOS;
      closeQuietly();
      LOG.warn(
          "The journal of sent messages in {} could not be written, so 'posthorn ghosts' will not list what is sent in the next minute: {}",
          directory,
          e.getClass().getSimpleName());
    }
  }

  private FileChannel nextFile() throws IOException {
    closeQuietly();
    Path file = directory.resolve(String.format(Locale.ROOT, "%s-%010d%s", id, ++opened, SUFFIX));
    FileChannel open =
        FileChannel.open(file, EnumSet.of(CREATE_NEW, APPEND), permissions(file, "rw-------"));
    channel = open;
    written = 0;
    files.add(file);
    while (files.size() > 2) {
      Files.deleteIfExists(files.remove(0));
    }
    return open;
  }

  private void closeQuietly() {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("A file of the journal of sent messages was not closed", e);
      }
    }
  }

  @Override
  public synchronized void close() {
    closeQuietly();
  }

  // ---- reading ----

  /** A message that a relay sent, as its journal recorded it. */
  public record Entry(Instant at, UUID message, long seq, String type, String destination) {
    private static @Nullable Entry of(String line) {
      String[] fields = line.split("\t", 5);
      if (fields.length < 5) {
        return null;
      }
      try {
        return new Entry(
            Instant.parse(fields[0]),
            UUID.fromString(fields[1]),
            Long.parseLong(fields[2]),
            fields[3],
            fields[4]);
      } catch (DateTimeParseException | IllegalArgumentException e) {
        // The last line of a process that was killed while it wrote.
        return null;
      }
    }
  }

  /** Reads all journals of a directory, one file after the other, the oldest file first. */
  static void read(Path directory, Instant since, Consumer<Entry> entries) {
    try {
      for (Path file : filesIn(directory)) {
        try (Stream<String> lines = Files.lines(file, UTF_8)) {
          lines
              .map(Entry::of)
              .filter(entry -> entry != null && !entry.at().isBefore(since))
              .forEach(entries);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "the journals in %s were not read (%s). Name the directory that the relays write their journals of sent messages to."
              .formatted(directory, e.getClass().getSimpleName()),
          e);
    }
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      files.forEach(found::add);
    }
    // Files that a busy relay filled within the clock's resolution differ by their number only.
    found.sort(Comparator.comparing(SentJournal::changed).thenComparing(Path::getFileName));
    return found;
  }

  private static void removeOld(Path directory) throws IOException {
    Instant oldest = Instant.now().minus(KEPT);
    for (Path file : filesIn(directory)) {
      if (changed(file).isBefore(oldest)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static Instant changed(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      // Another relay has just removed it.
      return Instant.MAX;
    }
  }

  private static FileAttribute<?>[] permissions(Path path, String permissions) {
    Set<String> views = path.getFileSystem().supportedFileAttributeViews();
    return views.contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}

package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What stands in the file of {@link Deliveries}, read as it grows. */
final class Journal implements AutoCloseable {
  /** What the clock of this JVM says beyond {@code System.nanoTime}, which all processes share. */
  private static final long CLOCK = System.currentTimeMillis() - System.nanoTime() / 1_000_000;

  /**
   * One line: a delivery (then {@code messageId} is set), or an event of a relay. Its {@code
   * millis} are those of this JVM's clock: the relay's may be wrong.
   */
  record Line(
      long pid,
      long nanos,
      long millis,
      String destination,
      boolean delivery,
      String messageId,
      String outcome,
      String content) {
    static Line parse(String text) {
      String[] parts = text.split(Deliveries.SEPARATOR, -1);
      return new Line(
          Long.parseLong(parts[1]),
          Long.parseLong(parts[2]),
          CLOCK + Long.parseLong(parts[2]) / 1_000_000,
          parts[3],
          parts[0].equals("D"),
          parts[4],
          parts[5],
          parts[6]);
    }

    /** The name of the event, if it is one. */
    String event() {
      return delivery ? "" : messageId;
    }

    /** The reason of a failed call. */
    String reason() {
      return delivery ? "" : content;
    }

    /** The receiver has taken it, or refused it for good. */
    boolean accepted() {
      return delivery && !outcome.equals("Failed") && !outcome.equals("Unavailable");
    }

    boolean arrived() {
      return delivery && Keys.arrives(outcome, content);
    }
  }

  private final FileChannel file;
  private final List<Line> lines = new ArrayList<>();
  private final Consumer<Line> listener;
  private String rest = "";

  /** The listener gets each line once, in order. */
  Journal(Path path, Consumer<Line> listener) {
    this.listener = listener;
    try {
      this.file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what is new. */
  synchronized Journal read() {
    try {
      ByteBuffer bytes = ByteBuffer.allocate((int) (file.size() - file.position()));
      while (bytes.hasRemaining() && file.read(bytes) >= 0) {
        // Until it is full, or the file ends.
      }
      String text = rest + new String(bytes.array(), 0, bytes.position(), UTF_8);
      int end = text.lastIndexOf('\n') + 1;
      rest = text.substring(end);
      text.substring(0, end).lines().map(Line::parse).forEach(this::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  private void add(Line line) {
    lines.add(line);
    listener.accept(line);
  }

  synchronized List<Line> lines() {
    return List.copyOf(lines);
  }

  Stream<Line> deliveries() {
    return lines().stream().filter(Line::delivery);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

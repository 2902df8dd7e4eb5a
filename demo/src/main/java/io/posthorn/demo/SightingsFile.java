package io.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;
import java.util.List;

/**
 * The deliveries of all relays, in order, in one file. Each relay appends one write per message at
 * the moment it handles the message. Killing a relay loses nothing, because the operating system
 * already has what it wrote. The operating system appends one write after the other, so the file is
 * in order across processes.
 */
final class SightingsFile {
  private SightingsFile() {}

  /** Writes to the file, for a relay. */
  static final class Appender {
    private static final long PID = ProcessHandle.current().pid();

    private final FileOutputStream out;

    Appender(File file) throws IOException {
      this.out = new FileOutputStream(file, /* append= */ true);
    }

    void append(String destination, Message message) throws IOException {
      long now = System.currentTimeMillis();
      long latency = Math.max(0, now - message.occurredAt().toEpochMilli());
      Sighting seen = new Sighting(destination, OrderChanged.of(message), PID, now, latency);
      out.write((seen.line() + "\n").getBytes(UTF_8));
    }
  }

  /** Reads the file, for the demo. */
  static final class Reader implements Closeable {
    private static final int MOST = 1 << 20;

    private final RandomAccessFile file;

    Reader(File file) throws IOException {
      this.file = new RandomAccessFile(file, "rw");
    }

    /** Returns what was appended since the last call. */
    List<Sighting> next() throws IOException {
      long from = file.getFilePointer();
      byte[] bytes = new byte[(int) Math.min(MOST, file.length() - from)];
      file.readFully(bytes);
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      file.seek(from + end);
      return new String(Arrays.copyOf(bytes, end), UTF_8).lines().map(Sighting::of).toList();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}

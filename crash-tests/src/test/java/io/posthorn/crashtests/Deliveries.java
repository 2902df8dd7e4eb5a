package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Where all receivers of a test write down what they get: one file, opened for appending. Each line
 * is one call to the operating system, so it is either there or not when a process is killed, and
 * the order of the lines is the order in which things happened, whichever process did them.
 */
final class Deliveries {
  static final String SEPARATOR = "\t";

  private final FileChannel file;
  private final long pid = ProcessHandle.current().pid();

  Deliveries(Path path) {
    try {
      this.file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The receiver got this and gave this answer. */
  void delivered(String destination, String messageId, String outcome, String content) {
    append("D", destination, messageId, outcome, content);
  }

  /** The relay told its observer. */
  void event(String destination, String event, String detail, String reason) {
    append("E", destination, event, detail, reason);
  }

  private void append(String kind, String destination, String a, String b, String c) {
    String line =
        String.join(
                SEPARATOR,
                kind,
                Long.toString(pid),
                Long.toString(System.nanoTime()),
                destination,
                a,
                b,
                c)
            + "\n";
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(UTF_8));
    try {
      if (file.write(bytes) != bytes.limit()) {
        throw new IllegalStateException("a line was written in part");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

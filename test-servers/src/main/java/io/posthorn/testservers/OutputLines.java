package io.posthorn.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The lines that a child process prints, read at once so that it never blocks on a full pipe. */
final class OutputLines {
  private static final int KEPT = 10_000;
  private static final int TAIL = 30;

  private final Deque<String> lines = new ArrayDeque<>();
  private final Consumer<String> listener;
  private boolean ended;

  private OutputLines(Consumer<String> listener) {
    this.listener = listener;
  }

  static OutputLines of(String name, InputStream in, Consumer<String> listener) {
    OutputLines output = new OutputLines(listener);
    Thread reader = new Thread(() -> output.readAll(in), name);
    reader.setDaemon(true);
    reader.start();
    return output;
  }

  private void readAll(InputStream in) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
        listener.accept(line);
      }
    } catch (IOException e) {
      add("(output cut: " + e.getMessage() + ")");
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    if (lines.size() == KEPT) {
      lines.removeFirst();
    }
    lines.addLast(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** The newest 10 000 lines. */
  synchronized List<String> all() {
    return List.copyOf(lines);
  }

  synchronized String tail() {
    return String.join("\n", lines.stream().skip(Math.max(0, lines.size() - TAIL)).toList());
  }

  /** Returns the first matching line, printed already or not; empty if none appears in time. */
  synchronized Optional<String> await(Predicate<String> predicate, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Optional<String> found = lines.stream().filter(predicate).findFirst();
      long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      if (found.isPresent() || ended || millis <= 0) {
        return found;
      }
      wait(millis);
    }
  }

  /** Returns when the process has closed its output and every line was passed on. */
  synchronized void awaitEnd(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    for (long millis = limit.toMillis();
        !ended && millis > 0;
        millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis()) {
      wait(millis);
    }
  }
}

package io.posthorn.sight;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** All that was logged: by Posthorn at any level, by others at the level most programs have. */
final class CapturedLogs {
  private static final Queue<LogLine> LINES = new ConcurrentLinkedQueue<>();

  private CapturedLogs() {}

  static void add(LogLine line) {
    LINES.add(line);
  }

  static List<LogLine> lines() {
    return List.copyOf(LINES);
  }

  static List<LogLine> of(String logger) {
    return lines().stream().filter(line -> line.logger().equals(logger)).toList();
  }
}

package io.posthorn.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Frees the few bytes of System V shared memory with which PostgreSQL marks a data directory as in
 * use.
 *
 * <p>A killed server leaves them to the kernel, which has room for 4096 such segments. A restart on
 * the same directory reuses them, but removing a directory must free them.
 */
final class SystemVMemory {
  // The line of postmaster.pid with the key and the id of the segment.
  private static final int SEGMENT_LINE = 6;
  private static final Path SEGMENTS = Path.of("/proc/sysvipc/shm");
  private static final int ATTACHED = 6;

  private SystemVMemory() {}

  /** Frees the memory of this data directory's killed server, if there was one. */
  static void release(Path dataDirectory) {
    Path pidFile = dataDirectory.resolve("postmaster.pid");
    if (!Files.isRegularFile(pidFile)) {
      return;
    }
    try {
      List<String> lines = Files.readAllLines(pidFile);
      if (lines.size() > SEGMENT_LINE) {
        String[] segment = columns(lines.get(SEGMENT_LINE));
        if (segment.length == 2 && isUnused(segment[0], segment[1])) {
          Processes.run(List.of("ipcrm", "-m", segment[1]));
        }
      }
    } catch (IOException e) {
      throw new TestServerException("could not read " + pidFile + ": " + e, e);
    }
  }

  private static boolean isUnused(String key, String id) throws IOException {
    return Files.readAllLines(SEGMENTS).stream()
        .map(SystemVMemory::columns)
        .anyMatch(
            columns ->
                columns[0].equals(key) && columns[1].equals(id) && columns[ATTACHED].equals("0"));
  }

  private static String[] columns(String line) {
    return line.strip().split("\\s+", -1);
  }
}

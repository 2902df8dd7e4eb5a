package io.posthorn.core.relay;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs the checks of a relay's connectors, each on a thread of its own: a check may wait for a
 * receiver, and nobody who delivers waits for it. One at a time for each destination, whoever asks:
 * a check that hangs costs one thread.
 */
final class ConnectorChecks {
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  /** False if one is under way; otherwise the answer comes on another thread. */
  boolean start(Destination destination, Consumer<List<Finding>> found) {
    if (!running.add(destination.name())) {
      return false;
    }
    Thread thread =
        new Thread(
            () -> {
              List<Finding> findings = check(destination);
              running.remove(destination.name());
              found.accept(findings);
            },
            "posthorn-check-" + destination.name());
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (Error e) {
      running.remove(destination.name());
      throw e;
    }
    return true;
  }

  private static List<Finding> check(Destination destination) {
    try {
      return List.copyOf(destination.connector().check());
    } catch (RuntimeException | Error e) {
      return List.of(Finding.problem(Reason.of(Reason.UNKNOWN, e)));
    }
  }
}

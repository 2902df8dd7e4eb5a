package io.posthorn.core.relay;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs the checks of a relay's connectors, each on a thread of its own, since a check may wait for
 * a receiver and must not delay a delivery. A destination has at most one check at a time, even if
 * several of its lanes ask for one: a check that hangs costs one thread.
 */
final class ConnectorChecks {
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  /** Starts a check whose findings arrive on another thread; returns false if one is running. */
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
      return destination.check();
    } catch (RuntimeException | Error e) {
      return List.of(Finding.problem(Reason.of(Reason.UNKNOWN, e)));
    }
  }
}

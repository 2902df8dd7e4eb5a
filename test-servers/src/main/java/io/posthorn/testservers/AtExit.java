package io.posthorn.testservers;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;

/** Closes everything still open when the JVM exits in an orderly way: servers first, then files. */
final class AtExit {
  private static final Set<Runnable> FIRST = ConcurrentHashMap.newKeySet();
  private static final Set<Runnable> LAST = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::runAll, "test-servers-exit"));
  }

  private AtExit() {}

  static void first(Runnable action) {
    FIRST.add(action);
  }

  static void last(Runnable action) {
    LAST.add(action);
  }

  static void forget(Runnable action) {
    FIRST.remove(action);
  }

  private static void runAll() {
    FIRST.forEach(AtExit::run);
    LAST.forEach(AtExit::run);
  }

  // A failing action must not keep the others from running. The next JVM removes what is left.
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LoggerFactory.getLogger(AtExit.class)
          .warn("A shutdown action failed and left something behind", e);
    }
  }
}

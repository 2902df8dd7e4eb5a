package io.posthorn.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.LoggerFactory;

/**
 * Resources that are closed in the opposite order of opening, even if closing one of them fails.
 */
final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T resource) {
    open.push(resource);
    return resource;
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        LoggerFactory.getLogger(Resources.class)
            .warn("A resource of the demo was not closed: {}", e.toString());
      }
    }
  }
}

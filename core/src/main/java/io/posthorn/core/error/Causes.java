package io.posthorn.core.error;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What led to a failure. */
public final class Causes {
  private static final int MOST = 50;

  private Causes() {}

  /**
   * The failure itself, its cause, the cause of that, and so on: each once, for causes may go round
   * in a circle, and not more than are worth looking at.
   */
  public static List<Throwable> of(Throwable thrown) {
    List<Throwable> all = new ArrayList<>();
    Throwable next = thrown;
    while (next != null && all.size() < MOST && !has(all, next)) {
      all.add(next);
      next = causeOf(next);
    }
    return all;
  }

  private static boolean has(List<Throwable> all, Throwable one) {
    return all.stream().anyMatch(cause -> cause == one);
  }

  /** Others wrote it, and it may fail. */
  private static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (RuntimeException | Error e) {
      return null;
    }
  }
}

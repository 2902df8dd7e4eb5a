package io.posthorn.core.error;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the causes of a failure. */
public final class Causes {
  private static final int MOST = 50;

  private Causes() {}

  /**
   * The failure itself, its cause, the cause of its cause, and so on. Each is listed once, because
   * causes may form a circle, and at most {@value #MOST} are.
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

  /** No cause if {@code getCause}, which others wrote, throws. */
  private static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (RuntimeException | Error e) {
      return null;
    }
  }
}

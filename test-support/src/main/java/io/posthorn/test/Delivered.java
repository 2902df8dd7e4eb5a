package io.posthorn.test;

import java.util.List;

/**
 * The result of {@link PosthornTest#deliverAll}.
 *
 * @param sent how many messages were sent, counted per destination
 * @param problems one line each: failed and dead messages, destinations that do not answer,
 *     messages without a destination
 */
public record Delivered(int sent, List<String> problems) {
  public Delivered {
    problems = List.copyOf(problems);
  }

  /** Fails the test if anything went wrong. */
  public Delivered withoutProblems() {
    if (!problems.isEmpty()) {
      throw new AssertionError(
          "Expected everything to be delivered without problems, but:\n  "
              + String.join("\n  ", problems));
    }
    return this;
  }
}

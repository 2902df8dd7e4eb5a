package io.posthorn.test;

import java.util.List;

/**
 * What came of {@link PosthornTest#deliverAll}.
 *
 * @param sent how many were sent, each destination counted
 * @param problems what went wrong, one line each: failed and dead messages, destinations that do
 *     not answer, messages that no destination wants
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

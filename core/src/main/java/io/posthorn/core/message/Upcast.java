package io.posthorn.core.message;

import java.util.Collection;
import java.util.List;

/**
 * One step between two versions of a type. Steps are chained: with 1 to 2 and 2 to 3, a message of
 * version 1 reaches a handler of version 3.
 *
 * @param type the type's name
 * @param from the version that the step starts at, from 1
 * @param to the version that it leads to; later than {@code from}
 * @param upcaster converts the payload
 * @param declaredAs where you declared it, as errors name it: an expression or a method
 */
public record Upcast(String type, int from, int to, Upcaster upcaster, String declaredAs) {
  /** A step that errors name as {@code upcast("type", from, to)}. */
  public static Upcast of(String type, int from, int to, Upcaster upcaster) {
    return new Upcast(type, from, to, upcaster, "upcast(\"%s\", %d, %d)".formatted(type, from, to));
  }

  /**
   * Finds everything that is wrong with these steps: a step that does not lead to a later version,
   * two steps from one version, and a gap between steps.
   */
  public static List<String> problems(Collection<Upcast> steps) {
    return new UpcastChecks(steps).problems();
  }
}

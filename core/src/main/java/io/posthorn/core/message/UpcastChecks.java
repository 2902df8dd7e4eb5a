package io.posthorn.core.message;

import io.posthorn.core.error.PosthornException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Finds all problems of upcasters, so that one error can report them together. */
final class UpcastChecks {
  private final Collection<Upcast> steps;
  private final List<String> problems = new ArrayList<>();

  UpcastChecks(Collection<Upcast> steps) {
    this.steps = steps;
  }

  List<String> problems() {
    Map<String, TreeMap<Integer, Upcast>> byType = new LinkedHashMap<>();
    for (Upcast step : steps) {
      if (leadsOn(step)) {
        Upcast other =
            byType
                .computeIfAbsent(step.type(), type -> new TreeMap<>())
                .putIfAbsent(step.from(), step);
        if (other != null) {
          problems.add(
              "%s and %s both start at version %d of '%s': remove one of them"
                  .formatted(other.declaredAs(), step.declaredAs(), step.from(), step.type()));
        }
      }
    }
    byType.values().forEach(this::checkGaps);
    return problems;
  }

  /** Since each step leads to a later version, no steps form a cycle. */
  private boolean leadsOn(Upcast step) {
    int before = problems.size();
    try {
      Limits.checkTypeName(step.type());
    } catch (PosthornException e) {
      problems.add(step.declaredAs() + ": " + e.getMessage());
    }
    if (step.from() < 1) {
      problems.add(
          "%s starts at version %d of '%s': versions count from 1"
              .formatted(step.declaredAs(), step.from(), step.type()));
    }
    if (step.to() <= step.from()) {
      problems.add(
          "%s leads from version %d of '%s' %s %d: a step must lead to a later version"
              .formatted(
                  step.declaredAs(),
                  step.from(),
                  step.type(),
                  step.to() == step.from() ? "to itself," : "back to",
                  step.to()));
    }
    return problems.size() == before;
  }

  private void checkGaps(NavigableMap<Integer, Upcast> chain) {
    int newest = SchemaVersions.newest(chain);
    for (Upcast step : chain.values()) {
      if (step.to() != newest && !chain.containsKey(step.to())) {
        Integer next = chain.higherKey(step.to());
        problems.add(
            "%s leads to version %d of '%s', where no step starts, but other steps lead to version %d: add upcast(\"%s\", %d, %d, …)"
                .formatted(
                    step.declaredAs(),
                    step.to(),
                    step.type(),
                    newest,
                    step.type(),
                    step.to(),
                    next == null ? newest : next));
      }
    }
  }
}

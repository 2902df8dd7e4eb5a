package io.posthorn.console.destination;

import io.posthorn.console.page.Links;
import io.posthorn.console.page.Step;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A pause, and how to end it. */
public record PauseRow(Pause pause, List<Step> steps) {
  static List<PauseRow> of(List<Pause> pauses, Links links) {
    return pauses.stream()
        .map(
            pause ->
                new PauseRow(
                    pause,
                    List.of(Step.act("Resume", links.act("resume", parameters(pause.scope()))))))
        .toList();
  }

  private static Map<String, Object> parameters(Scope scope) {
    Map<String, Object> parameters = new HashMap<>();
    if (scope.destination() == null && scope.type() == null) {
      parameters.put("all", "true");
    }
    if (scope.destination() != null) {
      parameters.put("destination", scope.destination());
    }
    if (scope.type() != null) {
      parameters.put("type", scope.type());
    }
    if (scope.key() != null) {
      parameters.put("key", scope.key());
    }
    return parameters;
  }
}

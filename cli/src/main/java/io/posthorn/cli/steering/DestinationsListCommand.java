package io.posthorn.cli.steering;

import static io.posthorn.core.operate.steering.DestinationStatus.MOST_COUNTED;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Steering;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists all destinations. */
@Command(
    name = "list",
    description = "List destinations: the relay that serves each, what waits, what is wrong.")
final class DestinationsListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    List<DestinationStatus> all = steering.destinations();
    Map<String, DestinationCheck> checks = new HashMap<>();
    steering.checks().forEach(check -> checks.put(check.destination(), check));
    answer.value(all.stream().map(status -> json(status, checks.get(status.name()))).toList());
    answer.table(
        List.of("destination", "state", "relay", "parked", "held keys", "dead", "rate", "paused"),
        all.stream().map(status -> row(status, checks.get(status.name()))).toList());
  }

  private static List<String> row(DestinationStatus status, @Nullable DestinationCheck check) {
    return List.of(
        status.name(),
        StateText.of(status, check),
        status.relay() == null ? "none" : status.relay(),
        StateText.counted(status.parked(), MOST_COUNTED),
        StateText.counted(status.heldKeys(), MOST_COUNTED),
        StateText.counted(status.dead(), MOST_COUNTED),
        status.ratePerSecond() == null ? "" : status.ratePerSecond() + "/s",
        StateText.paused(status));
  }

  private static Map<String, Object> json(
      DestinationStatus status, @Nullable DestinationCheck check) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", status.name());
    map.put("paused", status.pause() != null);
    if (status.pause() != null) {
      map.put("paused_by", status.pause().who());
      map.put("pause_reason", status.pause().why());
    }
    map.put("paused_types", status.pausedTypes());
    map.put("paused_keys", status.pausedKeys());
    if (status.rewoundBy() != null) {
      map.put("rewound_by", status.rewoundBy().toString());
    }
    if (status.breaker() != null) {
      map.put("breaker", status.breaker());
    }
    if (check != null && !check.problems().isEmpty()) {
      map.put("problems", check.problems().stream().map(Finding::toString).toList());
    }
    if (status.relay() != null) {
      map.put("relay", status.relay());
    }
    if (status.ratePerSecond() != null) {
      map.put("rate_per_second", status.ratePerSecond());
    }
    map.put("parked", status.parked());
    map.put("held_keys", status.heldKeys());
    map.put("dead", status.dead());
    return map;
  }
}

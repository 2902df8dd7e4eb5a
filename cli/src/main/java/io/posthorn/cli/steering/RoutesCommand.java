package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Route;
import io.posthorn.core.operate.steering.Steering;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists which types go to which destination, and which application registered that. */
@Command(
    name = "routes",
    description =
        "List which types go to a destination, and which applications registered these routes.")
final class RoutesCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DESTINATION",
      description = "Name of the destination; default: all.")
  private @Nullable String destination;

  @Override
  public void run() {
    List<Route> routes = Steering.on(where.store()).routes(destination);
    answer.value(routes.stream().map(RoutesCommand::json).toList());
    answer.table(
        List.of("destination", "type", "application", "since", "relay"),
        routes.stream().map(RoutesCommand::row).toList());
  }

  private static List<String> row(Route route) {
    return List.of(
        route.destination(),
        route.type().equals("*") ? "all" : route.type(),
        route.application(),
        Answer.time(route.since()),
        route.relay() == null ? "none" : route.relay());
  }

  private static Map<String, Object> json(Route route) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", route.destination());
    map.put("type", route.type());
    map.put("application", route.application());
    map.put("since", route.since().toString());
    if (route.relay() != null) {
      map.put("relay", route.relay());
    }
    return map;
  }
}

package io.posthorn.cli.steering;

import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Checks whether the relays can send to their destinations. Connectors live in the programs that
 * run relays, so this command asks the relays to check, and shows what they recorded.
 */
@Command(
    name = "check",
    description = {"Ask the relays to check whether they can send, and show what they found."},
    exitCodeList = {
      "0:all can send",
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      "6:a destination has a problem, is not served, or its relay did not answer in time"
    })
final class CheckCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final List<Finding> NOTHING =
      List.of(Finding.value("nothing", "this connector has no check"));

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DESTINATION",
      description = "Name of the destination; default: all.")
  private @Nullable String destination;

  @Option(
      names = "--wait",
      defaultValue = "15",
      paramLabel = "SECONDS",
      description =
          "Wait up to this long for the relays; 0 shows what they found last. Default: ${DEFAULT-VALUE}.")
  private int wait;

  /** One destination and its last check. It is stale if the relay has not checked again in time. */
  private record CheckedDestination(
      String name, @Nullable String relay, @Nullable DestinationCheck check, boolean stale) {
    boolean well() {
      return relay != null && check != null && check.problems().isEmpty() && !stale;
    }

    String state() {
      if (relay == null) {
        return "not served";
      }
      if (check == null || stale) {
        return "no answer from " + relay;
      }
      return check.problems().isEmpty() ? "ok" : "cannot send";
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    Steering steering = Steering.on(where.store());
    Map<String, Instant> before = new TreeMap<>();
    steering.checks().forEach(check -> before.put(check.destination(), check.at()));
    List<CheckedDestination> lines;
    if (wait > 0) {
      steering.lookAgain(destination);
      Instant until = Instant.now().plusSeconds(wait);
      do {
        Thread.sleep(POLL.toMillis());
        lines = lines(steering, before);
      } while (lines.stream().anyMatch(CheckedDestination::stale) && Instant.now().isBefore(until));
    } else {
      lines = lines(steering, Map.of());
    }
    answer.value(lines.stream().map(CheckCommand::json).toList());
    answer.table(
        List.of("destination", "state", "checked", "relay", "found"),
        lines.stream().flatMap(line -> rows(line).stream()).toList());
    return lines.stream().allMatch(CheckedDestination::well) ? Exit.DONE : Exit.FOUND;
  }

  private List<CheckedDestination> lines(Steering steering, Map<String, Instant> before) {
    Map<String, DestinationCheck> checks = new TreeMap<>();
    steering.checks().forEach(check -> checks.put(check.destination(), check));
    List<CheckedDestination> lines = new ArrayList<>();
    for (DestinationStatus status : steering.destinations()) {
      String name = status.name();
      if (name.equals(RelayStore.UNROUTED) || (destination != null && !destination.equals(name))) {
        continue;
      }
      DestinationCheck check = checks.get(name);
      boolean old = wait > 0 && (check == null || check.at().equals(before.get(name)));
      lines.add(new CheckedDestination(name, status.relay(), check, status.relay() != null && old));
    }
    return lines;
  }

  private static List<List<String>> rows(CheckedDestination line) {
    DestinationCheck check = line.check();
    if (check == null) {
      return List.of(List.of(line.name(), line.state(), "never", "", ""));
    }
    List<List<String>> rows = new ArrayList<>();
    List<Finding> findings = check.findings().isEmpty() ? NOTHING : check.findings();
    for (Finding finding : findings) {
      boolean first = rows.isEmpty();
      rows.add(
          List.of(
              first ? line.name() : "",
              first ? line.state() : "",
              first ? Answer.ago(check.at()) : "",
              first ? check.relay() : "",
              finding.toString()));
    }
    return rows;
  }

  private static Map<String, Object> json(CheckedDestination line) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", line.name());
    map.put("well", line.well());
    map.put("state", line.state());
    DestinationCheck check = line.check();
    if (check != null) {
      map.put("checked_at", check.at().toString());
      map.put("relay", check.relay());
      map.put("findings", check.findings().stream().map(CheckCommand::json).toList());
    }
    return map;
  }

  private static Map<String, Object> json(Finding finding) {
    return Map.of("problem", finding.problem(), "name", finding.name(), "text", finding.text());
  }
}

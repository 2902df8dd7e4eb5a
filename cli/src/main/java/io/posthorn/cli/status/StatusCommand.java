package io.posthorn.cli.status;

import static io.posthorn.core.operate.steering.DestinationStatus.MOST_COUNTED;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.steering.StateText;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.status.Status.LiveRelay;
import io.posthorn.core.operate.steering.DestinationStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the state of everything on one screen. */
@Command(
    name = "status",
    description =
        "Show the state of everything: each destination and its backlog, the relays, the log.",
    footerHeading = "%nExample:%n",
    footer = "  posthorn status --watch --every 5")
public final class StatusCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(names = "--watch", description = "Repeat until you press Ctrl-C.")
  private boolean watch;

  @Option(
      names = "--every",
      defaultValue = "2",
      paramLabel = "SECONDS",
      description = "Seconds between two answers of --watch; default: ${DEFAULT-VALUE}.")
  private int every;

  @Override
  public void run() {
    OperatorStore store = where.store();
    if (!watch) {
      print(store.status());
      return;
    }
    try {
      while (answer.again(Answer.time(Instant.now()) + "; press Ctrl-C to stop")) {
        printIfItAnswers(store);
        TimeUnit.SECONDS.sleep(Math.max(1, every));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Prints the error if the database does not answer, so that a person who watches sees it go and
   * come back.
   */
  private void printIfItAnswers(OperatorStore store) {
    try {
      print(store.status());
    } catch (PosthornException e) {
      answer.value(Map.of("error", String.valueOf(e.getMessage())));
      answer.say(String.valueOf(e.getMessage()));
    }
  }

  private void print(Status status) {
    answer.value(json(status));
    answer.table(
        List.of(
            "destination", "state", "relay", "pending", "oldest", "parked", "held keys", "dead"),
        status.destinations().stream().map(StatusCommand::row).toList());
    answer.say("");
    if (status.relays().isEmpty()) {
      answer.say("no relay is running");
    } else {
      answer.table(
          List.of("relay", "application", "started", "lanes"),
          status.relays().stream().map(StatusCommand::row).toList());
    }
    answer.say("");
    answer.say(log(status.log()));
  }

  private static List<String> row(Backlog backlog) {
    DestinationStatus destination = backlog.status();
    return List.of(
        destination.name(),
        StateText.of(destination),
        destination.relay() == null ? "none" : destination.relay(),
        (backlog.estimated() ? "about " : "") + "%,d".formatted(backlog.pending()),
        backlog.oldestPending() == null ? "" : Answer.ago(backlog.oldestPending()),
        StateText.counted(destination.parked(), MOST_COUNTED),
        StateText.counted(destination.heldKeys(), MOST_COUNTED),
        StateText.counted(destination.dead(), MOST_COUNTED));
  }

  private static List<String> row(LiveRelay relay) {
    return List.of(
        relay.name(),
        relay.application(),
        Answer.ago(relay.startedAt()),
        Integer.toString(relay.lanes()));
  }

  private static String log(Status.Log log) {
    return log.oldest() == null
        ? "the log is empty"
        : "the log begins %s and takes up %,d MiB; its last sequence number is %,d"
            .formatted(Answer.ago(log.oldest()), log.bytes() >> 20, log.last());
  }

  private static Map<String, Object> json(Status status) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destinations", status.destinations().stream().map(StatusCommand::json).toList());
    map.put("relays", status.relays().stream().map(StatusCommand::json).toList());
    Map<String, Object> log = new LinkedHashMap<>();
    log.put("last", status.log().last());
    if (status.log().oldest() != null) {
      log.put("oldest", status.log().oldest().toString());
    }
    log.put("bytes", status.log().bytes());
    map.put("log", log);
    return map;
  }

  private static Map<String, Object> json(Backlog backlog) {
    DestinationStatus destination = backlog.status();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", destination.name());
    map.put("pending", backlog.pending());
    map.put("estimated", backlog.estimated());
    if (backlog.oldestPending() != null) {
      map.put("oldest_pending", backlog.oldestPending().toString());
    }
    map.put("parked", destination.parked());
    map.put("held_keys", destination.heldKeys());
    map.put("dead", destination.dead());
    if (destination.pause() != null) {
      map.put("paused_at", destination.pause().at().toString());
      map.put("paused_by", destination.pause().who());
      map.put("pause_reason", destination.pause().why());
    }
    map.put("paused_types", destination.pausedTypes());
    map.put("paused_keys", destination.pausedKeys());
    if (destination.rewoundBy() != null) {
      map.put("rewound_by", destination.rewoundBy().toString());
    }
    if (destination.breaker() != null) {
      map.put("breaker", destination.breaker());
    }
    if (destination.relay() != null) {
      map.put("relay", destination.relay());
    }
    return map;
  }

  private static Map<String, Object> json(LiveRelay relay) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", relay.name());
    map.put("application", relay.application());
    map.put("started_at", relay.startedAt().toString());
    map.put("expires_at", relay.expiresAt().toString());
    map.put("lanes", relay.lanes());
    return map;
  }
}

package io.posthorn.cli.steering;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.steering.Steering;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Removes routes that no application wants any more. */
@Command(
    name = "narrow",
    description = {
      "Remove routes to a destination that no application wants any more.",
      "Parked messages are still sent. Messages that wait for code that no relay has become dead letters."
    })
final class NarrowCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Only routes of this type; may be repeated. Default: all types.")
  private Set<String> types = new LinkedHashSet<>();

  @Option(
      names = "--application",
      paramLabel = "NAME",
      description = "Only routes that this application registered.")
  private @Nullable String application;

  @Override
  public void run() {
    if (types.isEmpty() && application == null) {
      throw new ParameterException(
          spec.commandLine(),
          "which routes? Pass --type, --application or both; 'posthorn destinations routes' lists them");
    }
    OperatorStore store = where.store();
    long routes =
        Steering.on(store).routes(destination).stream()
            .filter(route -> types.isEmpty() || types.contains(route.type()))
            .filter(route -> application == null || application.equals(route.application()))
            .count();
    if (routes == 0) {
      answer.value(Map.of("routes", 0));
      throw new CommandFailed(
          "nothing was done: %s has no such route; 'posthorn destinations routes' lists them"
              .formatted(destination),
          null);
    }
    consent.ask(
        "Remove %s to %s? It never gets the undelivered messages in the log that only these routes cover; %s of all types wait for it there."
            .formatted(
                Count.exactly(routes).of("route"), destination, pending(store).of("message")));
    int gone = Steering.on(store).narrow(destination, types, application, reason.by());
    answer.value(Map.of("routes", gone));
    answer.say("removed %s to %s".formatted(Count.exactly(gone).of("route"), destination));
  }

  private Count pending(OperatorStore store) {
    return store.status().destinations().stream()
        .filter(found -> found.status().name().equals(destination))
        .map(found -> new Count(found.pending(), found.estimated()))
        .findFirst()
        .orElse(Count.exactly(0));
  }
}

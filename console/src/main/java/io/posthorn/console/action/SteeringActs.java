package io.posthorn.console.action;

import io.posthorn.console.overview.DestinationStates;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.text.KeyText;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.steering.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Pause, resume, limit and check. */
final class SteeringActs {
  private SteeringActs() {}

  static List<Act> all() {
    return List.of(new Pause(), new Resume(), new Limit(), new Check());
  }

  private static Scope scope(Asked asked) {
    String key = asked.orNull("key");
    String destination = asked.ticked("all") ? null : asked.orNull("destination");
    String type = asked.orNull("type");
    if (destination == null && type == null && !asked.ticked("all")) {
      throw Asked.refused(
          "it is not clear what is meant. Choose a destination, a type, or everything");
    }
    return new Scope(
        destination, key == null ? type : null, key == null ? null : KeyText.parse(key));
  }

  private static Map<String, Object> parameters(Asked asked) {
    Map<String, Object> parameters = new HashMap<>();
    for (String name : List.of("all", "destination", "type", "key")) {
      String value = asked.orNull(name);
      if (value != null) {
        parameters.put(name, value);
      }
    }
    return parameters;
  }

  private static String options(Asked asked) {
    StringBuilder options = new StringBuilder();
    String destination = asked.orNull("destination");
    options.append(
        asked.ticked("all")
            ? " --all"
            : destination == null ? "" : " " + Equivalent.quoted(destination));
    for (String name : List.of("type", "key")) {
      String value = asked.orNull(name);
      if (value != null) {
        options.append(" --").append(name).append(' ').append(Equivalent.quoted(value));
      }
    }
    return options.toString();
  }

  private static Proposal like(Proposal proposal, Asked asked, String verb) {
    parameters(asked)
        .forEach(
            (name, value) -> {
              if (!name.equals("type") || !verb.equals("pause")) {
                proposal.hidden(name, value.toString());
              }
            });
    return proposal.like(
        "posthorn destinations %s%s --why TEXT".formatted(verb, options(asked)),
        "POST /api/v1/databases/%s/destinations/%s/%s"
            .formatted(asked.database().name(), Words.text(asked.value("destination")), verb));
  }

  private static Optional<Backlog> backlog(Asked asked) {
    String name = asked.orNull("destination");
    return name == null ? Optional.empty() : asked.live().now(asked.database()).destination(name);
  }

  private static String waiting(Backlog backlog) {
    long waiting = backlog.pending() + backlog.status().parked();
    return Words.about(waiting, backlog.estimated())
        + (waiting == 1 ? " message waits" : " messages wait");
  }

  private static final class Pause implements Act {
    @Override
    public String name() {
      return "pause";
    }

    @Override
    public Proposal propose(Asked asked) {
      Scope scope = scope(asked);
      Proposal proposal =
          Proposal.of("Pause " + Words.text(scope, 120), "Pause " + shortName(scope))
              .will(
                  "Nothing more of it is sent. Messages wait in order, as long as the pause lasts.")
              .will("What is in flight now is finished.")
              .note(
                  "Writers are not affected. The log keeps what waits, so watch its size if the pause is long.");
      backlog(asked).ifPresent(one -> proposal.note("%s for it now.".formatted(waiting(one))));
      if (scope.key() == null && scope.destination() != null) {
        proposal.field(
            "text",
            "type",
            "Only this type",
            asked.orNull("type"),
            "Leave it empty to pause all types.");
      }
      if (scope.destination() == null && scope.type() == null) {
        proposal.warn("This pauses all destinations, and those that are added later.").danger();
      }
      return like(proposal, asked, "pause");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Scope scope = scope(asked);
      boolean changed = asked.database().steering().pause(scope, by);
      String what = Words.text(scope, 120);
      return changed
          ? Done.said("Paused: %s.".formatted(what))
              .undoneBy(asked.links().act("resume", parameters(asked)))
          : Done.said("Nothing changed: %s was already paused.".formatted(what));
    }
  }

  private static String shortName(Scope scope) {
    if (scope.key() != null) {
      return "this key";
    }
    if (scope.type() != null) {
      return "this type";
    }
    return scope.destination() == null ? "everything" : Words.text(scope.destination(), 40);
  }

  private static final class Resume implements Act {
    @Override
    public String name() {
      return "resume";
    }

    @Override
    public Proposal propose(Asked asked) {
      Scope scope = scope(asked);
      Proposal proposal =
          Proposal.of("Resume " + Words.text(scope, 120), "Resume " + shortName(scope))
              .will("The messages that waited are delivered, each key in its order.");
      backlog(asked)
          .ifPresent(
              one -> {
                proposal.will(
                    "%s for %s.".formatted(waiting(one), Words.text(one.status().name(), 60)));
                if (one.status().breaker() != null) {
                  proposal.warn(
                      "It does not answer at the moment, so they go on waiting until it does.");
                }
              });
      return like(proposal, asked, "resume");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Scope scope = scope(asked);
      boolean changed = asked.database().steering().resume(scope, by);
      String what = Words.text(scope, 120);
      return changed
          ? Done.said("Resumed: %s.".formatted(what))
              .undoneBy(asked.links().act("pause", parameters(asked)))
          : Done.said("Nothing changed: %s was not paused.".formatted(what));
    }
  }

  private static final class Limit implements Act {
    @Override
    public String name() {
      return "limit";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      Double now = backlog(asked).map(one -> one.status().ratePerSecond()).orElse(null);
      return Proposal.of("Limit the rate of " + Words.text(destination, 60), "Set the rate")
          .will(
              "At most this many messages per second are sent to it, by all relays together, within about a second.")
          .note(
              now == null
                  ? "The configured rate applies now."
                  : "A person has set %s/s.".formatted(DestinationStates.rate(now)))
          .field(
              "number",
              "rate",
              "Messages per second",
              asked.parameters().containsKey("rate")
                  ? asked.value("rate")
                  : now == null ? "" : DestinationStates.rate(now).replace(",", ""),
              "Leave it empty to go back to the configured rate.")
          .hidden("destination", destination)
          .like(
              "posthorn destinations limit %s --rate N --why TEXT"
                  .formatted(Equivalent.quoted(destination)),
              "POST /api/v1/databases/%s/destinations/%s/limit"
                  .formatted(asked.database().name(), destination));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      String destination = asked.required("destination");
      Double before = backlog(asked).map(one -> one.status().ratePerSecond()).orElse(null);
      Double rate = asked.number("rate");
      boolean changed = asked.database().steering().limit(destination, rate, by);
      Map<String, @Nullable Object> undo = new HashMap<>();
      undo.put("destination", destination);
      undo.put("rate", before);
      String text =
          rate == null
              ? "The configured rate of %s applies again.".formatted(Words.text(destination, 60))
              : "%s gets at most %s/s."
                  .formatted(Words.text(destination, 60), DestinationStates.rate(rate));
      return changed
          ? Done.said(text).undoneBy(asked.links().act("limit", undo))
          : Done.said("Nothing changed.");
    }
  }

  private static final class Check implements Act {
    @Override
    public String name() {
      return "check";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      return Proposal.of("Check " + Words.text(destination, 60) + " again", "Check now")
          .will(
              "Its relay checks within a second or two whether it can send. If it can, delivery goes on at once.")
          .note("Nothing is sent by the check itself.")
          .withoutWhy()
          .hidden("destination", destination)
          .like(
              "posthorn destinations check " + Equivalent.quoted(destination),
              "POST /api/v1/databases/%s/destinations/%s/check"
                  .formatted(asked.database().name(), destination));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      String destination = asked.required("destination");
      asked.database().steering().lookAgain(destination);
      return Done.said("%s is being checked.".formatted(Words.text(destination, 60)));
    }
  }
}

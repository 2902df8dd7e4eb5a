package io.posthorn.console.action;

import io.posthorn.console.deadletter.LetterFilter;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.Preview;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Rescues of all letters that match, as operations. */
final class BulkActs {
  private static final int CAUSES = 100;

  private BulkActs() {}

  static List<Act> all() {
    return List.of(
        new All("requeue-all", "Requeue", "requeue", true),
        new All("send-all", "Send once", "send", true),
        new All("discard-all", "Discard", "discard", false));
  }

  private record All(String name, String verb, String command, boolean sends) implements Act {
    private static LetterFilter filter(Asked asked) {
      Map<String, String> values = new HashMap<>(asked.parameters());
      // Only letters that wait for a person can be rescued.
      values.remove("state");
      return LetterFilter.of(values).checkedFor(asked.viewer(), asked.view());
    }

    private Plan plan(Asked asked) {
      DeadLetterQuery query = filter(asked).query();
      Plan plan =
          switch (name) {
            case "requeue-all" ->
                asked.ticked("newid") ? Plan.requeueUnderNewIds(query) : Plan.requeue(query);
            case "send-all" -> Plan.sendOnce(query);
            default -> Plan.discard(query);
          };
      if (!sends) {
        return plan;
      }
      Double canary = asked.number("canary");
      Double stopAt = asked.number("stopat");
      return plan.withCanary(canary == null ? 0 : canary.intValue())
          .withRate(asked.number("rate"))
          .stoppingAt(stopAt == null ? Plan.STOP_AT : stopAt / 100);
    }

    @Override
    public Proposal propose(Asked asked) {
      LetterFilter filter = filter(asked);
      Preview preview = asked.database().operations().preview(plan(asked));
      List<Cause> causes = asked.database().deadLetters().causes(filter.query(), CAUSES);
      String letters = Words.of(preview.count(), "letter");
      Proposal proposal =
          Proposal.of("%s %s".formatted(verb, letters), "%s %s".formatted(verb, letters));
      if (preview.count() == 0) {
        return proposal.impossible("No letter matches any more. Somebody may have rescued them.");
      }
      String to =
          causes.stream()
              .flatMap(cause -> cause.destinations().stream())
              .distinct()
              .limit(5)
              .map(name -> Words.text(name, 40))
              .collect(Collectors.joining(", "));
      String messages = Words.of(preview.count(), "message");
      if (sends) {
        proposal.will(
            "Sends %s to %s%s."
                .formatted(messages, to, name.equals("send-all") ? ", with one attempt each" : ""));
        proposal.will(
            causes.size() == 1
                ? "All have the same cause."
                : "They have %s.".formatted(Words.of(causes.size(), "different cause")));
        overtaken(preview, proposal);
        proposal.note(
            "Relays carry it out in small steps, beside the live traffic. You can stop it at any time.");
      } else {
        proposal.will(
            "%s: %s never %s them.".formatted(messages, to, to.contains(",") ? "get" : "gets"));
        proposal.will("The letters are kept as evidence until their retention ends.");
        proposal.warn("This cannot be undone.").danger();
      }
      filter.values().forEach(proposal::hidden);
      fields(asked, preview, proposal);
      return proposal.like(
          "posthorn dead %s%s%s --why TEXT"
              .formatted(command, filter.options(), sends ? " --canary 10 --rate 200" : ""),
          "POST /api/v1/databases/%s/operations".formatted(asked.database().name()));
    }

    private static void overtaken(Preview preview, Proposal proposal) {
      if (preview.overtaken() > 0) {
        proposal.warn(
            "Of the first %s, %s younger messages of their key already delivered. Receivers see these later."
                .formatted(
                    Words.number(preview.looked()),
                    preview.overtaken() == 1
                        ? "one has"
                        : Words.number(preview.overtaken()) + " have"));
      } else {
        proposal.will(
            "None of the first %s arrives after a younger message of its key."
                .formatted(Words.number(preview.looked())));
      }
    }

    private void fields(Asked asked, Preview preview, Proposal proposal) {
      if (!sends) {
        return;
      }
      boolean first = !asked.parameters().containsKey("canary");
      proposal.field(
          "number",
          "canary",
          "Canary",
          first ? "" + Math.min(10, Math.max(1, preview.count() / 2)) : asked.value("canary"),
          "So many go first. The rest follows only if they arrive.");
      proposal.field(
          "number",
          "rate",
          "At most per second",
          asked.value("rate"),
          "Empty: as fast as they are delivered.");
      proposal.field(
          "number",
          "stopat",
          "Stop when this share dies again, in %",
          first ? "50" : asked.value("stopat"),
          "It stops by itself, and can be resumed.");
      if (name.equals("requeue-all")) {
        proposal.field(
            "tick",
            "newid",
            "Under new ids",
            asked.value("newid"),
            "Receivers then treat them as new messages.");
      }
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Operation operation = asked.database().operations().start(plan(asked), by);
      return Done.said("The operation runs.").at(asked.links().operation(operation.id()));
    }
  }
}

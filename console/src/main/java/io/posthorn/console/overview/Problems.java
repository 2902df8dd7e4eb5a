package io.posthorn.console.overview;

import io.posthorn.console.live.Sample;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Problem;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds what a person should know or do, the worst first. */
final class Problems {
  private static final Duration LATE = Duration.ofMinutes(5);
  private static final List<String> ORDER = List.of("trouble", "dead", "waiting", "good");

  private final Sample sample;
  private final Links links;
  private final List<Problem> found = new ArrayList<>();

  private Problems(Sample sample, Links links) {
    this.sample = sample;
    this.links = links;
  }

  static List<Problem> of(Sample sample, Links links) {
    Problems problems = new Problems(sample, links);
    problems.relays();
    sample.status().destinations().forEach(problems::of);
    problems.dead();
    problems.found.sort(Comparator.comparing(one -> ORDER.indexOf(one.kind())));
    return problems.found;
  }

  /** The problems of one destination. */
  static List<Problem> of(Backlog backlog, Sample sample, Links links) {
    Problems problems = new Problems(sample, links);
    problems.of(backlog);
    return problems.found;
  }

  private void relays() {
    if (sample.status().relays().isEmpty() && !sample.status().destinations().isEmpty()) {
      add(
          "trouble",
          "No relay is running.",
          "Nothing is delivered. %s; nothing is lost, and delivery goes on when a relay starts."
              .formatted(
                  Words.of((long) Change.allWaiting(sample), "message waits", "messages wait")),
          Step.open("See relays", links.to("relays")).primary(),
          Step.open("Ask the doctor", links.to("doctor")));
    }
  }

  private void of(Backlog backlog) {
    DestinationStatus status = backlog.status();
    String name = Words.text(status.name(), 60);
    Step open = Step.open("Open " + name, links.destination(status.name()));
    Pause pause = status.pause();
    if (pause != null) {
      paused(backlog, name, pause, open);
    } else if (status.breaker() != null) {
      String why = DestinationStates.why(backlog, sample);
      add(
          "trouble",
          "%s does not answer%s.".formatted(name, why == null ? "" : ": " + Words.text(why, 200)),
          waits(backlog)
              + " Nothing is lost, no attempt is used up, and delivery goes on by itself.",
          open.primary(),
          Step.act("Check again now", links.act("check", "destination", status.name())));
    } else if (status.relay() == null
        && !sample.status().relays().isEmpty()
        && waiting(backlog) > 0) {
      add(
          "trouble",
          "No live relay serves %s.".formatted(name),
          waits(backlog) + " Start a relay that is configured for it.",
          Step.open("See relays", links.to("relays")).primary(),
          open);
    } else if (sample.problemOf(status.name()).isPresent()) {
      add(
          "trouble",
          "%s cannot receive: %s.".formatted(name, DestinationStates.why(backlog, sample)),
          waits(backlog),
          open.primary(),
          Step.act("Check again now", links.act("check", "destination", status.name())));
    } else if (late(backlog)) {
      add(
          "waiting",
          "%s is behind: its oldest message has waited for %s."
              .formatted(name, Words.age(backlog.oldestPending())),
          waits(backlog),
          open.primary());
    }
    unrouted(backlog);
    held(status, name);
  }

  private void paused(Backlog backlog, String name, Pause pause, Step open) {
    Map<String, String> scope =
        pause.scope().destination() == null
            ? Map.of("all", "true")
            : Map.of("destination", backlog.status().name());
    add(
        "waiting",
        "%s paused %s %s: “%s”."
            .formatted(
                Words.text(pause.who(), 40),
                name,
                Words.ago(pause.at()),
                Words.text(pause.why(), 160)),
        waits(backlog) + " They keep their order.",
        Step.act("Resume " + name, links.act("resume", scope)),
        open);
  }

  private void unrouted(Backlog backlog) {
    long parked = backlog.status().parked();
    if (backlog.status().name().equals(Sample.UNROUTED) && parked > 0) {
      add(
          "trouble",
          "%s wanted by no route.".formatted(Words.of(parked, "message is", "messages are")),
          "After 10 minutes without a route they become dead letters (NO_ROUTE).",
          Step.open("See them", links.destination(Sample.UNROUTED)).primary());
    }
  }

  private void held(DestinationStatus status, String name) {
    if (status.heldKeys() > 0) {
      add(
          "dead",
          "%s of %s behind a dead letter."
              .formatted(
                  Words.of(status.heldKeys(), "key"),
                  name + (status.heldKeys() == 1 ? " waits" : " wait")),
          "Later messages of %s are not delivered until a person requeues or discards the letter, or releases the key."
              .formatted(status.heldKeys() == 1 ? "this key" : "these keys"),
          Step.open("Open its dead letters", links.deadOf(status.name())),
          Step.open("See what is parked", links.destination(status.name()) + "#parked"));
    }
  }

  /** The dead letters of all destinations, in one problem. */
  private void dead() {
    List<DestinationStatus> with =
        sample.status().destinations().stream()
            .map(Backlog::status)
            .filter(one -> one.dead() > 0)
            .sorted(Comparator.comparing(DestinationStatus::dead).reversed())
            .toList();
    if (with.isEmpty()) {
      return;
    }
    long dead = sample.dead();
    String to =
        with.size() == 1
            ? " to " + Words.text(with.get(0).name(), 40)
            : ": "
                + with.stream()
                    .limit(4)
                    .map(one -> Words.number(one.dead()) + " to " + Words.text(one.name(), 40))
                    .collect(Collectors.joining(", "))
                + (with.size() > 4 ? " and others" : "");
    add(
        "dead",
        "%s could not be delivered%s."
            .formatted(sample.deadText() + (dead == 1 ? " message" : " messages"), to),
        dead == 1
            ? "It waits for a person as a dead letter. Requeue it once the cause is fixed."
            : "They wait for a person as dead letters. Requeue them once their causes are fixed.",
        Step.open("Open dead letters", links.to("dead")));
  }

  private static long waiting(Backlog backlog) {
    return Change.waiting(backlog);
  }

  private static boolean late(Backlog backlog) {
    Instant oldest = backlog.oldestPending();
    return oldest != null && Duration.between(oldest, Instant.now()).compareTo(LATE) > 0;
  }

  private static String waits(Backlog backlog) {
    long waiting = waiting(backlog);
    if (waiting == 0) {
      return "No message waits for it.";
    }
    String since =
        backlog.oldestPending() == null
            ? ""
            : ", the oldest for " + Words.age(backlog.oldestPending());
    return "%s %s%s."
        .formatted(
            Words.about(waiting, backlog.estimated()),
            waiting == 1 ? "message waits" : "messages wait",
            since);
  }

  private void add(String kind, String cause, String effect, Step... steps) {
    found.add(new Problem(kind, cause, effect, List.of(steps)));
  }
}

package io.posthorn.console.overview;

import io.posthorn.console.live.Sample;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Problem;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.steering.DestinationStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;

/** Puts the first page together. */
public final class OverviewOf {
  private final Sample sample;
  private final Change change;
  private final Links links;

  /** From the newest sample, and those before it, oldest first. */
  public OverviewOf(Sample sample, List<Sample> history, Links links) {
    this.sample = sample;
    this.change = new Change(history);
    this.links = links;
  }

  /** The page. */
  public Overview make() {
    List<Problem> problems = Problems.of(sample, links);
    return new Overview(
        sentence(),
        more(),
        problems,
        figures(),
        shown().stream().map(this::row).toList(),
        sample.dead(),
        sample.dead() == 0 ? "" : sample.deadText());
  }

  /** The problems of one destination. */
  public List<Problem> problemsOf(Backlog backlog) {
    return Problems.of(backlog, sample, links);
  }

  /** The built-in destination is shown only if something is in it. */
  private List<Backlog> shown() {
    return sample.status().destinations().stream()
        .filter(
            one ->
                !one.status().name().equals(Sample.UNROUTED)
                    || Change.waiting(one) + one.status().dead() > 0)
        .toList();
  }

  private String sentence() {
    List<Backlog> all = shown();
    if (all.isEmpty()) {
      return sample.status().relays().isEmpty()
          ? "Nothing is delivered yet: no relay has registered a destination."
          : "No destination is registered yet.";
    }
    List<String> stuck =
        all.stream()
            .filter(one -> kind(one).equals("trouble"))
            .map(one -> Words.text(one.status().name(), 40))
            .toList();
    if (sample.status().relays().isEmpty()) {
      return "No relay is running, so nothing is delivered.";
    }
    if (stuck.size() == 1) {
      return all.stream()
          .filter(one -> kind(one).equals("trouble"))
          .findFirst()
          .map(this::stuck)
          .orElse("");
    }
    if (stuck.size() > 1) {
      return "%,d of %,d destinations get no messages: %s."
          .formatted(
              stuck.size(),
              all.size(),
              String.join(", ", stuck.subList(0, Math.min(4, stuck.size()))));
    }
    long paused = all.stream().filter(one -> one.status().pause() != null).count();
    String deliver =
        all.size() == 1
            ? "The destination %s delivers".formatted(Words.text(all.get(0).status().name(), 40))
            : paused == 0
                ? "All %,d destinations deliver".formatted(all.size())
                : "%,d of %,d destinations deliver; %s"
                    .formatted(
                        all.size() - paused,
                        all.size(),
                        Words.of(paused, "is paused by a person", "are paused by people")
                            .replace("1 is", "one is"));
    long dead = sample.dead();
    return dead == 0
        ? deliver + "."
        : "%s. %s %s for a person."
            .formatted(
                deliver,
                sample.deadText() + (dead == 1 ? " dead letter" : " dead letters"),
                dead == 1 ? "waits" : "wait");
  }

  private String stuck(Backlog backlog) {
    long waiting = Change.waiting(backlog);
    return "%s %s. %s"
        .formatted(
            Words.text(backlog.status().name(), 40),
            DestinationStates.badge(backlog, sample).text().replace("not served", "is not served"),
            waiting == 0
                ? "No message waits for it."
                : "%s %s; nothing is lost."
                    .formatted(
                        Words.about(waiting, backlog.estimated()),
                        waiting == 1 ? "message waits" : "messages wait"));
  }

  private String kind(Backlog backlog) {
    return DestinationStates.badge(backlog, sample).kind();
  }

  private String more() {
    long waiting = (long) Change.allWaiting(sample);
    if (waiting == 0) {
      return "No message waits. Everything that was written is delivered or decided.";
    }
    return sample.status().destinations().stream()
        .filter(one -> one.oldestPending() != null)
        .min(Comparator.comparing(one -> Objects.requireNonNull(one.oldestPending())))
        .map(
            one ->
                "The oldest message in the log has waited %s for %s."
                    .formatted(Words.age(one.oldestPending()), Words.text(one.status().name(), 40)))
        .orElse(
            waiting == 1
                ? "One message is parked: it waits for its next attempt, its turn or a person."
                : "%s messages are parked: they wait for their next attempt, their turn or a person."
                    .formatted(Words.number(waiting)));
  }

  private List<Overview.Figure> figures() {
    List<Overview.Figure> figures = new ArrayList<>();
    Status status = sample.status();
    OptionalDouble written = change.perSecond(one -> one.status().log().last());
    figures.add(
        new Overview.Figure(
            "Written",
            written.isEmpty() ? "–" : Words.number(Math.round(written.getAsDouble())),
            "/s",
            written.isEmpty() ? "known in a moment" : "average of 20 s",
            "",
            change.written()));
    boolean estimated = status.destinations().stream().anyMatch(Backlog::estimated);
    OptionalDouble trend = change.perSecond(Change::allWaiting);
    figures.add(
        new Overview.Figure(
            "Waiting",
            Words.about((long) Change.allWaiting(sample), estimated),
            "",
            trend(trend),
            "",
            change.waiting()));
    figures.add(oldest(status));
    figures.add(
        new Overview.Figure(
            "Dead letters",
            sample.deadText(),
            "",
            sample.dead() == 0 ? "nobody has to decide" : "wait for a person",
            "",
            null));
    long relays = status.relays().size();
    figures.add(
        new Overview.Figure(
            "Relays",
            Words.number(relays),
            "",
            relays == 0 ? "nothing is delivered" : relays == 1 ? "no other stands by" : "live",
            relays == 0 ? "trouble" : "",
            null));
    return figures;
  }

  private Overview.Figure oldest(Status status) {
    return new Overview.Figure(
        "Oldest message",
        status.destinations().stream()
            .map(Backlog::oldestPending)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .map(Words::age)
            .orElse("–"),
        "",
        "in the log, not yet sent",
        "",
        change.oldest());
  }

  private static String trend(OptionalDouble perSecond) {
    if (perSecond.isEmpty()) {
      return "known in a moment";
    }
    long rounded = Math.round(perSecond.getAsDouble());
    if (rounded == 0) {
      return "steady";
    }
    return (rounded > 0 ? "growing by " : "shrinking by ") + Words.number(Math.abs(rounded)) + "/s";
  }

  private Overview.Row row(Backlog backlog) {
    DestinationStatus status = backlog.status();
    long waiting = Change.waiting(backlog);
    return new Overview.Row(
        status.name(),
        links.destination(status.name()),
        DestinationStates.badge(backlog, sample),
        DestinationStates.why(backlog, sample),
        Words.about(
            waiting, backlog.estimated() || status.parked() >= DestinationStatus.MOST_COUNTED),
        Words.age(oldestOf(backlog)),
        change.waitingPerSecond(status.name()),
        Words.counted(status.dead(), DestinationStatus.MOST_COUNTED),
        status.dead() == 0 ? null : links.deadOf(status.name()),
        status.relay() == null ? "none" : status.relay(),
        change.waitingOf(status.name()));
  }

  private static java.time.@org.jspecify.annotations.Nullable Instant oldestOf(Backlog backlog) {
    java.time.Instant oldest = backlog.oldestPending();
    return oldest == null || Duration.between(oldest, java.time.Instant.now()).isNegative()
        ? null
        : oldest;
  }
}

package io.posthorn.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.posthorn.core.operate.figures.DestinationFigures;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.figures.Figures.Count;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** The contents of the whole database, as gauges. They all appear and disappear together. */
final class DatabaseMeters {
  private static final String DESTINATION = "destination";
  private static final String ESTIMATED = "estimated";
  private static final String SECONDS = "seconds";

  private final MeterRegistry registry;
  private final Labels labels;
  private final Timer took;
  private final List<Rows> all = new ArrayList<>();
  private final Rows pending;
  private final Rows oldest;
  private final Rows parked;
  private final Rows parkedKeys;
  private final Rows heldKeys;
  private final Rows dead;
  private final Rows letters;
  private final Rows requeued;
  private final Rows expiring;
  private final Rows firstExpires;
  private final Rows lag;
  private final Rows served;
  private final Rows paused;
  private final Rows unavailable;
  private final Rows relays;
  private final Rows readAt;

  DatabaseMeters(MeterRegistry registry, Labels labels) {
    this.registry = registry;
    this.labels = labels;
    this.took =
        Timer.builder("outbox.figures")
            .description("Time it takes to read the figures of the database")
            .register(registry);
    this.pending = rows("outbox.pending.count", "Messages that are PENDING or FAILED");
    this.oldest =
        longest("outbox.oldest.age", "Age of the oldest message that is due but not yet sent");
    this.parked = rows("outbox.parked.count", "Messages that wait outside the log");
    this.parkedKeys = rows("outbox.parked.keys", "Keys that have parked messages");
    this.heldKeys = rows("outbox.held.keys", "Keys that wait for a person, behind a dead letter");
    this.dead = rows("outbox.dead.count", "Dead letters that wait for a person");
    this.letters =
        rows(
            "outbox.dead.letters",
            "Dead letters that wait for a person, by type and by the last attempt's reason");
    this.requeued = rows("outbox.requeued.count", "Dead letters that were requeued, by outcome");
    this.expiring =
        rows("outbox.dead.expiring", "Waiting dead letters that will be removed within a week");
    this.firstExpires =
        add(
            "outbox.dead.expires",
            SECONDS,
            "Time until the first waiting dead letter is removed",
            Double::min);
    this.lag =
        longest(
            "outbox.retention.lag",
            "How long overdue the removal of old messages is, and what blocks it");
    this.served =
        add(
            "outbox.destination.served",
            null,
            "1 if a live relay serves the destination",
            Double::min);
    this.paused =
        add("outbox.destination.paused", null, "1 if a person paused the destination", Double::max);
    this.unavailable =
        add(
            "outbox.destination.unavailable",
            null,
            "1 if its relay reports that the destination does not answer",
            Double::max);
    this.relays = rows("outbox.relays", "Live relays");
    this.readAt =
        longest(
            "outbox.figures.read.timestamp", "When the figures were read, in seconds since 1970");
  }

  private Rows rows(String name, String what) {
    return add(name, null, what, Double::sum);
  }

  private Rows longest(String name, String what) {
    return add(name, SECONDS, what, Double::max);
  }

  private Rows add(String name, @Nullable String unit, String what, BinaryOperator<Double> merge) {
    Rows rows = new Rows(registry, name, unit, what, merge);
    all.add(rows);
    return rows;
  }

  void show(Figures figures, Duration readIn) {
    figures.destinations().forEach(this::add);
    figures.letters().forEach(this::add);
    figures
        .rescues()
        .forEach(x -> count(requeued, x.count(), "outcome", x.outcome().toLowerCase(Locale.ROOT)));
    figures.expiring().forEach(this::add);
    add(figures.retention());
    relays.add((double) figures.relays());
    readAt.add(System.currentTimeMillis() / 1e3);
    all.forEach(Rows::show);
    took.record(readIn);
  }

  void clear() {
    all.forEach(Rows::clear);
  }

  private void add(DestinationFigures figures) {
    String name = labels.destination(figures.name());
    count(pending, figures.pending(), DESTINATION, name);
    String atMost = Boolean.toString(figures.oldestAtMost());
    oldest.add(seconds(figures.oldestAge()), DESTINATION, name, ESTIMATED, atMost);
    figures
        .parked()
        .forEach(
            (waiting, count) -> count(parked, count, DESTINATION, name, "waiting", waiting.name()));
    count(parkedKeys, figures.parkedKeys(), DESTINATION, name);
    count(heldKeys, figures.heldKeys(), DESTINATION, name);
    count(dead, figures.dead(), DESTINATION, name);
    expiring.add(0, DESTINATION, name);
    served.add(figures.served() ? 1 : 0, DESTINATION, name);
    paused.add(figures.paused() ? 1 : 0, DESTINATION, name);
    unavailable.add(figures.answers() ? 0 : 1, DESTINATION, name);
  }

  private void add(Figures.Letters found) {
    count(
        letters,
        found.count(),
        DESTINATION,
        labels.destination(found.destination()),
        "type",
        labels.type(found.type()),
        "reason",
        labels.reason(found.reason()));
  }

  private void add(Figures.Expiring soon) {
    String name = labels.destination(soon.destination());
    expiring.add((double) soon.count().number(), DESTINATION, name);
    firstExpires.add(seconds(soon.first()), DESTINATION, name);
  }

  private void add(Figures.Retention retention) {
    double late = seconds(retention.lag());
    retention.blockedBy().forEach(by -> lag.add(late, "blocked_by", labels.destination(by)));
    if (retention.blockedBy().isEmpty()) {
      lag.add(late, "blocked_by", "nobody");
    }
  }

  private static void count(Rows rows, Count count, String... tags) {
    String[] all = Arrays.copyOf(tags, tags.length + 2);
    all[tags.length] = ESTIMATED;
    all[tags.length + 1] = Boolean.toString(count.estimated());
    rows.add((double) count.number(), all);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }
}

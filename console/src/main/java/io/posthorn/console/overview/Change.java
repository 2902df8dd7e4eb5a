package io.posthorn.console.overview;

import io.posthorn.console.chart.Spark;
import io.posthorn.console.live.Sample;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.status.Status.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** How figures have changed from sample to sample. */
public final class Change {
  private static final Duration RECENT = Duration.ofSeconds(20);
  private static final int POINTS = 60;

  private final List<Sample> samples;

  /** From these samples, oldest first. */
  public Change(List<Sample> samples) {
    this.samples = samples;
  }

  /** All that waits for a destination. */
  static long waiting(Backlog backlog) {
    return backlog.pending() + backlog.status().parked();
  }

  /** The change per second of the last 20 s; empty if that is not known yet. */
  OptionalDouble perSecond(ToDoubleFunction<Sample> figure) {
    if (samples.size() < 2) {
      return OptionalDouble.empty();
    }
    Sample last = samples.get(samples.size() - 1);
    Sample first = last;
    for (int i = samples.size() - 2; i >= 0; i--) {
      if (Duration.between(samples.get(i).at(), last.at()).compareTo(RECENT) > 0) {
        break;
      }
      first = samples.get(i);
    }
    double seconds = Duration.between(first.at(), last.at()).toMillis() / 1_000.0;
    return seconds < 0.5
        ? OptionalDouble.empty()
        : OptionalDouble.of((figure.applyAsDouble(last) - figure.applyAsDouble(first)) / seconds);
  }

  /** The change of what waits for a destination, for people. */
  String waitingPerSecond(String destination) {
    OptionalDouble change =
        perSecond(sample -> sample.destination(destination).map(Change::waiting).orElse(0L));
    if (change.isEmpty()) {
      return "–";
    }
    long rounded = Math.round(change.getAsDouble());
    return rounded == 0
        ? "steady"
        : (rounded > 0 ? "+" : "−") + Words.number(Math.abs(rounded)) + "/s";
  }

  /** What waited for a destination. */
  public Spark waitingOf(String destination) {
    return Spark.of(
        "messages that wait for " + destination,
        values(sample -> sample.destination(destination).map(Change::waiting).orElse(0L)));
  }

  /** Messages written per second, from sample to sample. */
  Spark written() {
    List<Double> values = new ArrayList<>();
    for (int i = Math.max(1, samples.size() - POINTS); i < samples.size(); i++) {
      Sample before = samples.get(i - 1);
      Sample after = samples.get(i);
      double seconds =
          Math.max(0.1, Duration.between(before.at(), after.at()).toMillis() / 1_000.0);
      values.add((after.status().log().last() - before.status().log().last()) / seconds);
    }
    return Spark.of("messages written per second", values);
  }

  /** All that waited. */
  Spark waiting() {
    return Spark.of("messages that wait", values(Change::allWaiting));
  }

  /** The age of the oldest message in seconds. */
  Spark oldest() {
    return Spark.of("age of the oldest message in seconds", values(Change::oldestSeconds));
  }

  static double allWaiting(Sample sample) {
    return sample.status().destinations().stream().mapToLong(Change::waiting).sum();
  }

  private static double oldestSeconds(Sample sample) {
    return sample.status().destinations().stream()
        .map(Backlog::oldestPending)
        .filter(java.util.Objects::nonNull)
        .mapToLong(at -> Math.max(0, Duration.between(at, sample.at()).toSeconds()))
        .max()
        .orElse(0);
  }

  private List<Double> values(ToDoubleFunction<Sample> figure) {
    return samples.subList(Math.max(0, samples.size() - POINTS), samples.size()).stream()
        .map(figure::applyAsDouble)
        .toList();
  }
}

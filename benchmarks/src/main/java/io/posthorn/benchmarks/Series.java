package io.posthorn.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The values of one measurement that was repeated. */
final class Series {
  private final List<Double> values = new ArrayList<>();

  void add(double value) {
    values.add(value);
  }

  /** Discards the values so far, which were warm-up. */
  void forget() {
    values.clear();
  }

  double median() {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Returns the lowest value. */
  double best() {
    return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** Returns the ratio of the medians. */
  double against(Series other) {
    return median() / other.median();
  }

  /** Returns the ratios of the values, turn by turn. */
  Series over(Series other) {
    Series ratios = new Series();
    for (int i = 0; i < values.size(); i++) {
      ratios.add(values.get(i) / other.values.get(i));
    }
    return ratios;
  }

  /** Returns the range of the middle half of the values. */
  String half() {
    List<Double> sorted = values.stream().sorted().toList();
    int quarter = sorted.size() / 4;
    return Figures.number(sorted.get(quarter))
        + " to "
        + Figures.number(sorted.get(sorted.size() - 1 - quarter));
  }

  /** Returns all values, which show how noisy the machine was. */
  @Override
  public String toString() {
    return values.stream().map(Figures::number).collect(Collectors.joining(" · "));
  }
}

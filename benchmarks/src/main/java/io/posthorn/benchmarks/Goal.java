package io.posthorn.benchmarks;

/** The bound that a figure should keep. */
record Goal(boolean atLeast, double bound) {
  static Goal atLeast(double bound) {
    return new Goal(true, bound);
  }

  static Goal atMost(double bound) {
    return new Goal(false, bound);
  }

  boolean met(double value) {
    return atLeast ? value >= bound : value <= bound;
  }

  @Override
  public String toString() {
    return (atLeast ? "≥ " : "≤ ") + Figures.number(bound);
  }
}

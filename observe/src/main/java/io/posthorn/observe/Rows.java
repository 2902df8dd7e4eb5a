package io.posthorn.observe;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of one name that appear and disappear together.
 *
 * <p>A series that stays is never removed in between, because a scrape at that moment would miss
 * it. Micrometer's own {@code MultiGauge} does not avoid that.
 */
final class Rows {
  private static final class Cell {
    volatile double value;
    final Gauge gauge;

    Cell(MeterRegistry registry, String name, @Nullable String unit, String what, Tags tags) {
      this.gauge =
          Gauge.builder(name, this, cell -> cell.value)
              .description(what)
              .baseUnit(unit)
              .tags(tags)
              .strongReference(true)
              .register(registry);
    }
  }

  private final MeterRegistry registry;
  private final String name;
  private final @Nullable String unit;
  private final String what;
  private final BinaryOperator<Double> merge;
  private final Map<Tags, Cell> cells = new HashMap<>();
  private Map<Tags, Double> next = new LinkedHashMap<>();

  /**
   * Creates gauges without any series.
   *
   * @param merge combines the values of several rows with the same tags
   */
  Rows(
      MeterRegistry registry,
      String name,
      @Nullable String unit,
      String what,
      BinaryOperator<Double> merge) {
    this.registry = registry;
    this.name = name;
    this.unit = unit;
    this.what = what;
    this.merge = merge;
  }

  /** Adds a row that the next {@link #show} makes visible. */
  void add(double value, String... tags) {
    next.merge(Tags.of(tags), value, merge);
  }

  /** Shows exactly the rows added since the last call. */
  void show() {
    Map<Tags, Double> now = next;
    next = new LinkedHashMap<>();
    now.forEach(
        (tags, value) ->
            cells.computeIfAbsent(tags, t -> new Cell(registry, name, unit, what, t)).value =
                value);
    for (Iterator<Map.Entry<Tags, Cell>> all = cells.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Tags, Cell> entry = all.next();
      if (!now.containsKey(entry.getKey())) {
        registry.remove(entry.getValue().gauge);
        all.remove();
      }
    }
  }

  void clear() {
    next = new LinkedHashMap<>();
    show();
  }
}

package io.posthorn.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Samples the size of memory and tables during a long run. */
final class SoakSamples {
  private static final double MB = 1024 * 1024;

  // The history tables, which retention empties, grow with the number of delivered messages.
  private static final String TABLES =
      """
      CREATE VIEW bench_soak AS
      SELECT c.relname AS name,
             c.relname ~ '^posthorn_(log|progress|receipt|attempt|dead|cause|archive|archived|audit|operation|given_id|noted_id)(_|$)' AS history,
             pg_total_relation_size(c.oid) AS bytes
        FROM pg_class c
       WHERE c.relkind = 'r'
         AND c.relnamespace = 'public'::regnamespace
         AND c.relname LIKE 'posthorn\\_%'
      """;

  private static final String SIZE =
      "SELECT coalesce(sum(bytes), 0) FROM bench_soak WHERE history = %s";

  private static final String LARGEST =
      """
      SELECT string_agg(format('%s %s', name, pg_size_pretty(bytes)), ', ' ORDER BY bytes DESC)
        FROM (SELECT name, bytes
                FROM bench_soak
               WHERE NOT history
               ORDER BY bytes DESC
               LIMIT 4) largest
      """;

  private record Sample(double messages, double heapMb, double workingMb, double historyMb) {}

  private final Database database;
  private final List<Sample> samples = new ArrayList<>();

  SoakSamples(Database database) {
    this.database = database;
    database.execute(TABLES);
  }

  void take(long messages) {
    samples.add(new Sample(messages, heapMb(), sizeMb(false), sizeMb(true)));
  }

  private double sizeMb(boolean history) {
    return database.number(SIZE.formatted(history)) / MB;
  }

  /** Returns the heap in use after a garbage collection. */
  private static double heapMb() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MB;
  }

  String last() {
    Sample last = samples.get(samples.size() - 1);
    return "%,.0f messages, heap %.1f MB, working tables %.1f MB, history %.0f MB"
        .formatted(last.messages, last.heapMb, last.workingMb, last.historyMb);
  }

  /**
   * Reports medians of the second and the last quarter. In the first quarter, everything still
   * grows to its normal size.
   */
  void report(Figures figures) {
    figures
        .add("heap_mb_early", "heap after a collection, MB, second quarter", early(s -> s.heapMb))
        .add("heap_mb_late", "last quarter", late(s -> s.heapMb))
        .add("heap_grown_mb", "grown by, MB", grown(s -> s.heapMb), Goal.atMost(5))
        .add("tables_mb_early", "working tables, MB, second quarter", early(s -> s.workingMb))
        .add("tables_mb_late", "last quarter", late(s -> s.workingMb))
        .add("tables_grown_mb", "grown by, MB", grown(s -> s.workingMb), Goal.atMost(5))
        .add(
            "history_bytes_per_message",
            "log, receipts, attempts, letters: bytes per message",
            grown(s -> s.historyMb) * MB / Math.max(1, grown(s -> s.messages)))
        .note("The largest working tables: " + database.text(LARGEST) + ".");
  }

  private double early(ToDoubleFunction<Sample> what) {
    return median(samples.size() / 4, samples.size() / 2, what);
  }

  private double late(ToDoubleFunction<Sample> what) {
    return median(samples.size() - Math.max(1, samples.size() / 4), samples.size(), what);
  }

  private double grown(ToDoubleFunction<Sample> what) {
    return late(what) - early(what);
  }

  private double median(int from, int to, ToDoubleFunction<Sample> what) {
    Series series = new Series();
    samples.subList(from, to).forEach(sample -> series.add(what.applyAsDouble(sample)));
    return series.median();
  }
}

package io.posthorn.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

/**
 * Writers by short turns, in another order each time: what decides is the disk, whose speed changes
 * from one second to the next, and what was written just before.
 */
final class WriterTurns implements AutoCloseable {
  private static final int TRANSACTIONS = 2_000;

  private final Series outbox = new Series();
  private final Series unfound = new Series();
  private final Series plain = new Series();
  private final Writers writers;
  private final Writers withoutFinding;
  private final List<Way> ways;
  private final Random random = new Random(1);

  WriterTurns(Server server) {
    this.writers = new Writers(server.database());
    this.withoutFinding = Writers.withoutFinding(server.database());
    this.ways =
        List.of(
            new Way(outbox, writers::outboxPerSecond),
            new Way(unfound, withoutFinding::outboxPerSecond),
            new Way(plain, writers::plainPerSecond));
  }

  void warmUp(int transactions) {
    round(transactions);
    ways.forEach(way -> way.series.forget());
  }

  /** So many transactions in each way. */
  void round(int transactions) {
    writers.empty();
    withoutFinding.empty();
    for (int left = transactions; left > 0; left -= TRANSACTIONS) {
      List<Way> turn = new ArrayList<>(ways);
      Collections.shuffle(turn, random);
      for (Way way : turn) {
        way.series.add(way.perSecond.applyAsDouble(Math.min(left, TRANSACTIONS)));
      }
    }
  }

  void report(Figures figures) {
    Series engine = unfound.over(plain);
    Series all = outbox.over(plain);
    figures
        .add("writer_per_second", "transactions a second that add a message", outbox.median())
        .add("plain_insert_per_second", "the same by a plain INSERT", plain.median())
        .add("writer_vs_plain_insert", "add against INSERT", all.median())
        .add(
            "writer_vs_plain_insert_without_finding",
            "… with what delivery needs: without the indexes by key and correlation",
            engine.median(),
            Goal.atLeast(0.9))
        .note(
            "writers, half of the turns: %s; without finding %s"
                .formatted(all.half(), engine.half()));
  }

  /** A way to write a message, and how fast it was. */
  private record Way(Series series, IntToDoubleFunction perSecond) {}

  @Override
  public void close() {
    writers.close();
    withoutFinding.close();
  }
}

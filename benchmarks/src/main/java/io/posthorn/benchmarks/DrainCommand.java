package io.posthorn.benchmarks;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The {@code drain} benchmark: delivery of a backlog to a destination that acknowledges at once.
 */
@Command(
    name = "drain",
    description = "Measure how fast a backlog is delivered, and what it costs the database.",
    mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {
  /** Number of messages of one key, for a destination that answers after a millisecond. */
  private static final int ONE_KEY = 3_000;

  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "200000",
      description = "Number of messages in the backlog; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--old-rows",
      defaultValue = "2000000",
      description = "Number of delivered messages already in the log; default: ${DEFAULT-VALUE}.")
  private int oldRows;

  @Option(
      names = "--tutorial-messages",
      defaultValue = "20000",
      description =
          "Number of messages for the tutorial design, which is slow; default: ${DEFAULT-VALUE}.")
  private int tutorialMessages;

  @Option(
      names = "--transactions",
      defaultValue = "40000",
      description = "Transactions of the writers in each round; default: ${DEFAULT-VALUE}.")
  private int transactions;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Override
  public Integer call() {
    try (Server server = new Server()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      long delivered;
      try (DrainRounds drains = new DrainRounds(database, server.database(), messages)) {
        output.progress("writing %,d old messages, and warming up".formatted(oldRows));
        drains.warmUp(oldRows);
        for (int round = 1; round <= rounds; round++) {
          output.progress(
              "round %d of %d: draining %,d messages".formatted(round, rounds, messages));
          drains.round(tutorialMessages);
        }
        report(figures, drains);
        delivered = drains.delivered();
      }
      // Counted now, because sessions report their statistics when they end.
      figures.add(
          "dead_tuples_per_1k",
          "dead rows per 1,000 messages, in all Posthorn tables",
          Wal.deadRows(database) * 1_000 / delivered,
          Goal.atMost(1));
      firstRead(server, figures);
      output.progress("one key");
      new HotKey(server.database(), ONE_KEY).measure(figures, rounds);
      writers(server, figures);
      output.print(figures);
      return 0;
    }
  }

  private void report(Figures figures, DrainRounds drains) {
    figures
        .add("drain_per_second", "messages per second", drains.empty.median())
        .add("cursor_per_second", "plain ordered cursor", drains.cursor.median())
        .add("tutorial_per_second", "tutorial design", drains.tutorial.median())
        .add(
            "drain_vs_cursor",
            "relative to the cursor",
            drains.empty.against(drains.cursor),
            Goal.atLeast(0.7))
        .add(
            "drain_vs_tutorial",
            "relative to the tutorial design",
            drains.empty.against(drains.tutorial),
            Goal.atLeast(30))
        .add(
            "drain_vs_empty_with_old_rows",
            "with %,d delivered messages, relative to without".formatted(oldRows),
            drains.old.against(drains.empty),
            Goal.atLeast(0.7))
        .add(
            "drain_vs_idle_with_open_transaction",
            "beside an open transaction, relative to without",
            drains.open.against(drains.empty),
            Goal.atLeast(0.7))
        .add("wal_bytes_per_message", "WAL bytes per message", drains.wal.median(), Goal.atMost(10))
        .note("rounds: drain " + drains.empty + "; cursor " + drains.cursor)
        .note("rounds: old rows " + drains.old + "; open transaction " + drains.open)
        .note("rounds: tutorial " + drains.tutorial)
        .note(
            "The relay is warm, and its destination is paused while the backlog is written. Measured from its first claim to the last settle.")
        .note(
            "Rows were read once before (VACUUM, CHECKPOINT), for the cursor too. With checksums, the first read after a")
        .note("checkpoint writes whole pages to the WAL, for a relay and a SELECT alike.");
  }

  private void firstRead(Server server, Figures figures) {
    output.progress("messages that were not read since a checkpoint");
    FirstRead unread = new FirstRead(server.database(), messages);
    DrainRelay.Run run = unread.byRelay();
    figures
        .add(
            "drain_per_second_after_restart",
            "messages per second, relay just started, rows never read",
            run.perSecond())
        .add(
            "wal_bytes_per_message_first_read",
            "WAL bytes per message in that case",
            run.walBytes())
        .add(
            "wal_bytes_per_message_first_read_cursor",
            "WAL bytes per message of the cursor, which only reads",
            unread.byCursor());
  }

  private void writers(Server server, Figures figures) {
    try (WriterTurns turns = new WriterTurns(server)) {
      output.progress("writers: warming up");
      turns.warmUp(transactions);
      for (int round = 1; round <= rounds; round++) {
        output.progress("round %d of %d: %,d transactions".formatted(round, rounds, transactions));
        turns.round(transactions);
      }
      turns.report(figures);
    }
  }
}

package io.posthorn.demo;

import io.posthorn.cli.CommandFailed;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs the demo. Writers add messages, relays deliver them, and a relay is killed every few
 * seconds. At the end the writers stop, and the committed messages are compared with the delivered
 * ones.
 */
final class Demo {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final DemoOptions options;
  private final Stage stage;
  private final Stop stop;
  private final Consumer<Figures> view;
  private final Tally tally = new Tally();
  private final Rate rate = new Rate();
  private final List<String> events = new ArrayList<>();
  private final long began = System.nanoTime();
  private long nextKill;
  private String hint = "Ctrl-C to stop";

  /**
   * @param view receives the newest figures several times a second
   */
  Demo(DemoOptions options, Stage stage, Stop stop, Consumer<Figures> view) {
    this.options = options;
    this.stage = stage;
    this.stop = stop;
    this.view = view;
    this.nextKill = began + options.killEvery().toNanos();
  }

  DemoResult run() throws IOException, SQLException {
    stage.writers().start();
    while (!stop.wished() && !over()) {
      killIfDue();
      turn();
    }
    hint = "stopping: the last messages are on their way …";
    stage.writers().close();
    Duration ran = elapsed();
    Map<String, Long> committed = stage.shop().versions();
    drain(committed);
    return result(committed, ran);
  }

  private boolean over() {
    return !options.limit().isZero() && elapsed().compareTo(options.limit()) >= 0;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private void turn() throws IOException, SQLException {
    stage.writers().requireHealthy();
    stage.relays().all().forEach(this::tend);
    for (Takeovers.Takeover done : tally.note(stage.sightings().next())) {
      event("%s taken over in %s".formatted(Words.list(done.lanes()), Words.seconds(done.took())));
    }
    rate.note(stage.writers().committed() + stage.writers().rolledBack());
    stage.lanes().read();
    view.accept(figures());
    stop.pause(TICK);
  }

  private void tend(RelayProcess relay) {
    switch (relay.tend()) {
      case SERVES -> event("%s is back, pid %d".formatted(relay.name(), relay.pid()));
      case KILLED -> killed(relay, "was killed from outside the demo");
      case NONE -> {}
    }
  }

  /** Kills one relay at a time: only when both relays serve, and only one that holds a lane. */
  private void killIfDue() throws SQLException {
    if (options.killEvery().isZero() || System.nanoTime() - nextKill < 0) {
      return;
    }
    if (stage.relays().allServe()) {
      stage.lanes().read();
      stage
          .relays()
          .any(relay -> !stage.lanes().heldBy(relay.pid()).isEmpty())
          .ifPresent(
              relay -> {
                nextKill = System.nanoTime() + options.killEvery().toNanos();
                relay.kill();
                killed(relay, "killed -9");
              });
    }
  }

  private void killed(RelayProcess relay, String how) {
    List<String> held = stage.lanes().heldBy(relay.pid());
    tally.takeovers().killed(relay.name(), relay.pid(), System.currentTimeMillis(), held);
    event(
        "%s (pid %d) %s, it held %s"
            .formatted(
                relay.name(), relay.pid(), how, held.isEmpty() ? "no lane" : Words.list(held)));
  }

  private void event(String what) {
    events.add(Words.clock(elapsed()) + "  " + what);
    if (events.size() > 100) {
      events.remove(0);
    }
  }

  /**
   * Waits until every destination has every message. Gives up when no further message arrives for a
   * while.
   */
  private void drain(Map<String, Long> committed) throws IOException, SQLException {
    long missing = Long.MAX_VALUE;
    long lastNews = System.nanoTime();
    while (missing > 0 && System.nanoTime() - lastNews < PATIENCE.toNanos()) {
      if (stop.wishedTwice()) {
        throw new CommandFailed(
            "the demo has no result: it was stopped before all messages had arrived", null);
      }
      turn();
      long now = tally.sum(ledger -> ledger.missing(committed));
      lastNews = now < missing ? System.nanoTime() : lastNews;
      missing = now;
    }
  }

  private DemoResult result(Map<String, Long> committed, Duration ran) {
    long total = committed.values().stream().mapToLong(Long::longValue).sum();
    return new DemoResult(
        total,
        stage.writers().rolledBack(),
        tally.complete(options.keys()),
        tally.sum(ledger -> ledger.missing(committed)),
        tally.sum(Ledger::reordered),
        tally.sum(Ledger::phantoms) + tally.sum(ledger -> ledger.surplus(committed)),
        tally.sum(Ledger::duplicates),
        tally.takeovers().kills(),
        tally.takeovers().longest(),
        ran);
  }

  private Figures figures() {
    return new Figures(
        stage.postgres().version(),
        stage.postgres().port(),
        elapsed(),
        rate.perSecond(),
        stage.writers().committed(),
        stage.writers().rolledBack(),
        tally.delivered(),
        tally.complete(options.keys()),
        tally.sum(Ledger::skipped),
        tally.sum(Ledger::reordered),
        tally.sum(Ledger::duplicates),
        tally.sum(Ledger::phantoms),
        tally.latency(),
        stage.relays().all().stream().map(this::relayLine).toList(),
        tally.takeovers().kills(),
        Figures.LastKill.of(tally.takeovers().last()),
        tally.takeovers().longest(),
        tally.throughput(),
        List.copyOf(events),
        hint);
  }

  private Figures.RelayLine relayLine(RelayProcess relay) {
    Lanes lanes = stage.lanes();
    return new Figures.RelayLine(
        relay.name(),
        relay.pid(),
        relay.state(),
        lanes.heldBy(relay.pid()),
        lanes.lease(relay.pid()));
  }
}

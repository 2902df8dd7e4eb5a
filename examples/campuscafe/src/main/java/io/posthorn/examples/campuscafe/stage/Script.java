package io.posthorn.examples.campuscafe.stage;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Plays the faults one after the other, without a page, and reports what came of the orders. */
final class Script {
  /** In this order; those that hurt the other shop most come first, for short runs. */
  private static final List<Fault> ORDER =
      List.of(
          Fault.POISON_ORDER,
          Fault.KILL_RELAY,
          Fault.DUPLICATES,
          Fault.KILL_DATABASE,
          Fault.IMPATIENT_CLIENTS,
          Fault.SLOW_PAYMENT,
          Fault.BROKER_DOWN,
          Fault.STOCK_DOWN,
          Fault.PAYMENT_FAILS,
          Fault.FREEZE_RELAY);

  private static final Duration REST = Duration.ofSeconds(4);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** The other shop has no way to tell that it is done; it gives up after about ten seconds. */
  private static final Duration STILL = Duration.ofSeconds(15);

  private static final long LOOK_MILLIS = 500;

  private final Show show;

  Script(Show show) {
    this.show = show;
  }

  /** Takes orders at this rate for so long, and then waits until nothing moves any more. */
  Result play(int rate, Duration length) throws InterruptedException, SQLException {
    long end = System.nanoTime() + length.toNanos();
    show.customers().rate(rate);
    pause(REST, end);
    for (int next = 0; System.nanoTime() < end; next++) {
      Fault fault = ORDER.get(next % ORDER.size());
      show.faults().begin(fault);
      pause(Duration.ofSeconds(fault.seconds()).plus(REST), end);
    }
    show.customers().rate(0);
    return settle();
  }

  private static void pause(Duration length, long end) throws InterruptedException {
    long left = Math.min(length.toMillis(), (end - System.nanoTime()) / 1_000_000);
    Thread.sleep(Math.max(0, left));
  }

  /** Waits for the faults to end, corrects the poison orders as a person would, and counts. */
  private Result settle() throws InterruptedException, SQLException {
    long patience = System.nanoTime() + PATIENCE.toNanos();
    long dead = 0;
    ShopFigures other = ShopFigures.NONE;
    long changed = System.nanoTime();
    while (System.nanoTime() < patience) {
      Thread.sleep(LOOK_MILLIS);
      if (!show.faults().running().isEmpty() || !allUp()) {
        continue;
      }
      dead += show.books().correctPoisonOrders("espresso");
      Show.Scene scene = show.readNow();
      if (!scene.dualWriteFigures().equals(other)) {
        other = scene.dualWriteFigures();
        changed = System.nanoTime();
      }
      if (scene.posthornFigures().unfinished() == 0
          && System.nanoTime() - changed > STILL.toNanos()) {
        break;
      }
    }
    Show.Scene scene = show.readNow();
    return new Result(
        scene.posthornFigures(),
        scene.dualWriteFigures(),
        scene.duplicatesDropped(),
        dead,
        show.faults().kills());
  }

  private boolean allUp() {
    return show.cafe().services().stream()
        .allMatch(service -> service.state() == ServiceProcess.State.UP);
  }
}

package io.posthorn.crashtests;

import io.posthorn.testservers.FakeClock;
import io.posthorn.testservers.JavaProcess;
import io.posthorn.testservers.JavaProcessBuilder;
import io.posthorn.testservers.TestServerException;
import io.posthorn.testservers.Waiting;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A relay in a process of its own, as the test sees it. */
final class RelayProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AtomicInteger ORDERS = new AtomicInteger();

  private final RelaySetup setup;
  private final JavaProcess process;

  private RelayProcess(RelaySetup setup, JavaProcess process) {
    this.setup = setup;
    this.process = process;
  }

  /** Starts it; returns at once. */
  static RelayProcess start(RelaySetup setup) {
    return new RelayProcess(setup, builder(setup).start());
  }

  /** The same, and its time of day is this clock's. */
  static RelayProcess start(RelaySetup setup, FakeClock clock) {
    return new RelayProcess(setup, builder(setup).clock(clock).start());
  }

  /** The same, to act when it reaches the point the first time. */
  static RelayProcess startArmed(RelaySetup setup, CrashPoint point, CrashPlan.Action action) {
    return new RelayProcess(
        setup,
        builder(setup)
            .systemProperty(RelayMain.ARMED, "start " + point.name() + " " + action + " 1")
            .start());
  }

  private static JavaProcessBuilder builder(RelaySetup setup) {
    JavaProcessBuilder builder =
        JavaProcess.of(RelayMain.class)
            .jvmOption("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-Xshare:auto")
            .systemProperty("org.slf4j.simpleLogger.log.com.zaxxer.hikari", "error")
            .systemProperty("org.slf4j.simpleLogger.showDateTime", "true")
            .systemProperty("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS");
    setup.properties().forEach(builder::systemProperty);
    return builder;
  }

  RelayProcess awaitReady() {
    process.awaitLine(RelayMain.READY::equals, PATIENCE);
    return this;
  }

  /**
   * Orders the process to act when it reaches the point the n-th time from now. Returns the order's
   * id once the process has read it, so that whatever the test does next comes later.
   */
  String arm(CrashPoint point, CrashPlan.Action action, int n) {
    String id = "order-" + ORDERS.incrementAndGet();
    process.writeLine(id + " " + point.name() + " " + action + " " + n);
    process.awaitLine(Set.of("armed " + id, "reached " + id)::contains, PATIENCE);
    return id;
  }

  /** Returns when it is at the point, and about to be killed or frozen. */
  void awaitReached(String order) {
    process.awaitLine(("reached " + order)::equals, PATIENCE);
  }

  /**
   * Waits for that so long, and then takes the order back: nobody would thaw it later. Tells
   * whether it was reached.
   */
  boolean awaitReachedOrDisarm(String order, Duration limit) {
    try {
      process.awaitLine(("reached " + order)::equals, limit);
      return true;
    } catch (TestServerException e) {
      process.writeLine(CrashPlan.disarm(order));
      return process
          .awaitLine(Set.of("reached " + order, "disarmed " + order)::contains, PATIENCE)
          .startsWith("reached");
    }
  }

  /** Lets it go on that froze itself at a point, maybe only a moment after it said so. */
  void thaw(String order) {
    Waiting.until(
        "thawed " + order,
        PATIENCE,
        () -> {
          process.thaw();
          return process.output().contains("thawed " + order);
        });
  }

  String name() {
    return setup.name();
  }

  long pid() {
    return process.pid();
  }

  boolean isRunning() {
    return process.isRunning();
  }

  void freeze() {
    process.freeze();
  }

  void thaw() {
    process.thaw();
  }

  void kill() {
    process.kill();
  }

  /** Tells it to stop, and does not wait. */
  void terminate() {
    process.terminate();
  }

  /** Stops it gracefully and waits for its end. */
  void stop() {
    process.terminate();
    awaitExit();
  }

  int awaitExit() {
    return process.awaitExit(PATIENCE);
  }

  /** What it logged. */
  String log() {
    return setup.name()
        + " ("
        + pid()
        + "):\n  "
        + String.join("\n  ", process.errors())
        + "\n  "
        + String.join("\n  ", process.output());
  }

  @Override
  public void close() {
    process.kill();
  }
}

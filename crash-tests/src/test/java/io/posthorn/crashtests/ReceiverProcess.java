package io.posthorn.crashtests;

import io.posthorn.core.bus.Mode;
import io.posthorn.testservers.JavaProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that receives, as the test sees it. */
final class ReceiverProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AtomicInteger ORDERS = new AtomicInteger();

  private final JavaProcess process;

  private ReceiverProcess(JavaProcess process) {
    this.process = process;
  }

  static ReceiverProcess start(String url, Mode mode) {
    return start(url, mode, "");
  }

  static ReceiverProcess start(String url, Mode mode, String broker) {
    return new ReceiverProcess(
        JavaProcess.of(ReceiverMain.class)
            .jvmOption("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-Xshare:auto")
            .systemProperty(ReceiverMain.URL, url)
            .systemProperty(ReceiverMain.MODE, mode.name())
            .systemProperty(ReceiverMain.BROKER, broker)
            .systemProperty("org.slf4j.simpleLogger.log.com.zaxxer.hikari", "error")
            .start());
  }

  ReceiverProcess awaitReady() {
    process.awaitLine(RelayMain.READY::equals, PATIENCE);
    return this;
  }

  String arm(CrashPoint point, CrashPlan.Action action) {
    String id = "receive-" + ORDERS.incrementAndGet();
    process.writeLine(id + " " + point.name() + " " + action + " 2");
    return id;
  }

  void awaitReached(String order) {
    process.awaitLine(("reached " + order)::equals, PATIENCE);
  }

  void awaitExit() {
    process.awaitExit(PATIENCE);
  }

  long pid() {
    return process.pid();
  }

  void thaw() {
    process.thaw();
  }

  String log() {
    return String.join("\n  ", process.errors()) + String.join("\n  ", process.output());
  }

  @Override
  public void close() {
    process.kill();
  }
}

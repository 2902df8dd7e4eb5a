package io.posthorn.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of one destination, as this program's relays see it. They have no label for the type,
 * because each histogram is many series.
 */
final class LaneMeters {
  private static final Duration[] SEND = {
    Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25),
    Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500),
    Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30)
  };

  private static final Duration[] COMMIT_TO_SENT = {
    Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50),
    Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1),
    Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(5),
    Duration.ofHours(1), Duration.ofDays(1)
  };

  private final MeterRegistry registry;
  private final String destination;
  private final Timer sent;
  private final Timer failed;
  private final Timer commitToSent;
  private final DistributionSummary log;
  private final DistributionSummary parked;
  private final Counter opened;
  private final Counter taken;
  private final Counter lost;
  private final Counter refused;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger held = new AtomicInteger();

  LaneMeters(MeterRegistry registry, String destination) {
    this.registry = registry;
    this.destination = destination;
    this.sent = send("sent");
    this.failed = send("failed");
    this.commitToSent =
        Timer.builder("outbox.commit.to.sent")
            .description("Time from when a message was stored, or due if later, until it was sent")
            .tag("destination", destination)
            .serviceLevelObjectives(COMMIT_TO_SENT)
            .register(registry);
    this.log = batchSize("log");
    this.parked = batchSize("parked");
    this.opened = counter("outbox.breaker.opened", "How often the breaker opened");
    this.taken = counter("outbox.lane.taken", "How often a relay took over this destination");
    this.lost = counter("outbox.lane.lost", "How often a relay lost this destination");
    this.refused =
        counter(
            "outbox.store.refused",
            "How often the database permanently refused what a relay has to write or read");
    gauge("outbox.in.flight", "Messages that the connector holds and has not answered", inFlight);
    gauge("outbox.breaker.open", "1 while the destination does not answer", open);
    gauge("outbox.lane.held", "1 while a relay of this program serves the destination", held);
  }

  private Timer send(String outcome) {
    return Timer.builder("outbox.send")
        .description("Time from handing a message to the connector until its answer")
        .tags("destination", destination, "outcome", outcome)
        .serviceLevelObjectives(SEND)
        .register(registry);
  }

  private DistributionSummary batchSize(String from) {
    return DistributionSummary.builder("outbox.batch.messages")
        .description("Messages per claimed batch")
        .tags("destination", destination, "from", from)
        .register(registry);
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name)
        .description(description)
        .tag("destination", destination)
        .register(registry);
  }

  private void gauge(String name, String description, AtomicInteger value) {
    Gauge.builder(name, value, AtomicInteger::get)
        .description(description)
        .tag("destination", destination)
        .strongReference(true)
        .register(registry);
  }

  void claimed(int messages, boolean ofParked) {
    (ofParked ? parked : log).record(messages);
  }

  void handed(int messages) {
    inFlight.addAndGet(messages);
  }

  void answered(boolean wasSent, Duration took, Duration age) {
    inFlight.decrementAndGet();
    (wasSent ? sent : failed).record(took);
    if (wasSent) {
      // A timer would drop a negative value, which a clock that was set back would produce.
      commitToSent.record(age.isNegative() ? Duration.ZERO : age);
    }
  }

  void parked(Waiting waiting) {
    Counter.builder("outbox.parked")
        .description("Messages that were parked and settled as such")
        .tags("destination", destination, "waiting", waiting.name())
        .register(registry)
        .increment();
  }

  void breakerOpened() {
    open.set(1);
    opened.increment();
  }

  void breakerClosed() {
    open.set(0);
  }

  void taken() {
    reset(1);
    taken.increment();
  }

  void left(boolean against) {
    reset(0);
    if (against) {
      lost.increment();
    }
  }

  void storeRefused() {
    refused.increment();
  }

  /** Resets the gauges: from now on, the relay that holds the destination reports its state. */
  private void reset(int now) {
    held.set(now);
    open.set(0);
    inFlight.set(0);
  }
}

package io.posthorn.test;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Runs a real relay until nothing is due. After each event of the relay, it asks the database
 * whether anything is due; it never guesses from time.
 */
final class DeliveryRun implements Observer {
  /** The application that these relays belong to. */
  static final String APPLICATION = "posthorn-test";

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final Duration CHECK_INTERVAL = Duration.ofMillis(20);

  // The lease is long, so that destinations may have any timeout. It ends with the run.
  static final RelayConfig CONFIG =
      RelayConfig.builder()
          .lease(Duration.ofHours(1))
          .poll(Duration.ofMillis(2), Duration.ofMillis(50))
          .build();

  private final OutboxTables tables;
  private final Collection<Destination> destinations;
  private final Map<String, TestConsumer> consumers;
  private final Set<String> down = new LinkedHashSet<>();
  private final List<String> problems = new ArrayList<>();
  private int sent;
  private final Semaphore events = new Semaphore(0);

  DeliveryRun(
      OutboxTables tables,
      Collection<Destination> destinations,
      Map<String, TestConsumer> consumers) {
    this.tables = tables;
    this.destinations = destinations;
    this.consumers = consumers;
  }

  void run(Relay.Builder relay, BiFunction<Relay.Builder, Observer, Bus> buses) {
    destinations.forEach(relay::destination);
    relay.config(CONFIG).observer(this);
    try (Bus bus = buses.apply(relay, this::onBus)) {
      consumers.values().forEach(consumer -> consumer.subscribe(bus));
      bus.start();
      awaitNothingDue();
    }
  }

  synchronized Delivered delivered() {
    return new Delivered(sent, problems);
  }

  private void awaitNothingDue() {
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    for (List<String> due = due(); !due.isEmpty(); due = due()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "Not everything was delivered within %s. Still due:%n  %s%nProblems so far: %s"
                .formatted(MAX_WAIT, String.join("\n  ", due), delivered().problems()));
      }
      awaitEvent();
    }
  }

  private List<String> due() {
    events.drainPermits();
    Set<String> answering = new LinkedHashSet<>();
    synchronized (this) {
      destinations.forEach(destination -> answering.add(destination.name()));
      answering.addAll(consumers.keySet());
      answering.removeAll(down);
    }
    // A message is stored before it leaves its broker. Reading the tables first could miss it.
    List<String> due = new ArrayList<>();
    consumers.values().forEach(consumer -> due.addAll(consumer.due()));
    due.addAll(tables.due(answering));
    return due;
  }

  private void awaitEvent() {
    try {
      events.tryAcquire(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("the test was interrupted while it delivered", e);
    }
  }

  @Override
  public synchronized void on(Event event) {
    if (event instanceof Event.Sent done) {
      sent += done.deliveries().size();
    } else if (event instanceof Event.Parked parked) {
      parked(parked);
    } else if (event instanceof Event.Dead dead) {
      problems.add(
          "%s is dead: %s, %s"
              .formatted(named(dead.delivery(), dead), dead.code(), dead.reason().text()));
    } else if (event instanceof Event.BreakerOpened opened) {
      down.add(opened.destination());
      problems.add(
          "'%s' does not answer: %s, %s"
              .formatted(opened.destination(), opened.reason().code(), opened.reason().text()));
    } else if (event instanceof Event.BreakerClosed closed) {
      down.remove(closed.destination());
    }
    events.release();
  }

  /** Observes the consumers. For messages that a relay hands them, the relay reports the result. */
  private synchronized void onBus(Event event) {
    if (event instanceof Event.Handled handled) {
      TestConsumer consumer = consumers.get(handled.destination());
      if (consumer != null) {
        consumer.handled(handled.messages());
      }
    } else if (event instanceof Event.Parked || event instanceof Event.Dead) {
      on(event);
    }
    events.release();
  }

  private void parked(Event.Parked parked) {
    String message = named(parked.delivery(), parked);
    if (parked.destination().equals(RelayStore.UNROUTED)) {
      return;
    }
    if (parked.waiting() == Waiting.RETRY && parked.reason() != null) {
      problems.add(
          "%s failed: %s, %s; next attempt in %s"
              .formatted(message, parked.reason().code(), parked.reason().text(), parked.delay()));
    } else if (parked.waiting() == Waiting.CODE) {
      problems.add(message + " waits: the destination has no code for its type");
    } else if (parked.waiting() == Waiting.PAUSED) {
      problems.add(message + " waits: its type is paused");
    }
  }

  private static String named(Delivery delivery, Event event) {
    return "%s to '%s'".formatted(delivery.message(), event.destination());
  }
}

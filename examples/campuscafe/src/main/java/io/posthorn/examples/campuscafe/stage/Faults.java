package io.posthorn.examples.campuscafe.stage;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Begins and ends faults, one of each kind at a time. */
final class Faults implements AutoCloseable {
  private static final Duration TOO_LATE = Duration.ofSeconds(3);
  private static final int LAST_MESSAGES = 30;

  private final Cafe cafe;
  private final Customers customers;
  private final Consumer<String> events;
  private final ScheduledExecutorService hands = Executors.newScheduledThreadPool(2);
  private final Map<Fault, Long> until = new EnumMap<>(Fault.class);
  private long lastFault = System.nanoTime();
  private final AtomicInteger kills = new AtomicInteger();

  /**
   * @param events receives a line for each fault that begins or ends
   */
  Faults(Cafe cafe, Customers customers, Consumer<String> events) {
    this.cafe = cafe;
    this.customers = customers;
    this.events = events;
  }

  /** Begins a fault, and returns at once. Returns false if it is already there. */
  synchronized boolean begin(Fault fault) {
    if (until.containsKey(fault)) {
      return false;
    }
    until.put(fault, System.nanoTime() + TimeUnit.SECONDS.toNanos(fault.seconds()));
    events.accept(fault.title() + ": " + fault.effect());
    hands.execute(() -> begins(fault));
    var unused = hands.schedule(() -> ends(fault), fault.seconds(), TimeUnit.SECONDS);
    return true;
  }

  /** The seconds that are left of each fault. */
  synchronized Map<Fault, Long> running() {
    Map<Fault, Long> left = new EnumMap<>(Fault.class);
    long now = System.nanoTime();
    until.forEach(
        (fault, end) ->
            left.put(fault, Math.max(0, TimeUnit.NANOSECONDS.toSeconds(end - now) + 1)));
    return left;
  }

  /** How long nothing has been broken. */
  synchronized Duration quiet() {
    return until.isEmpty() ? Duration.ofNanos(System.nanoTime() - lastFault) : Duration.ZERO;
  }

  int kills() {
    return kills.get();
  }

  private void begins(Fault fault) {
    try {
      switch (fault) {
        case STOCK_DOWN -> {
          cafe.service(Cafe.STOCK).kill(true);
          customers.dualWriteStock(false);
        }
        case KILL_RELAY -> {
          kill(cafe.service(Cafe.ORDER));
          kill(cafe.service(Cafe.DUAL_WRITE));
        }
        case BROKER_DOWN -> cafe.kafka().proxy().reset();
        case SLOW_PAYMENT -> payments(0, TOO_LATE);
        case PAYMENT_FAILS -> payments(500, Duration.ZERO);
        case POISON_ORDER -> customers.place(Customers.POISON, 1);
        case KILL_DATABASE -> {
          kills.incrementAndGet();
          cafe.postgres().kill();
        }
        case DUPLICATES -> Repeats.lastMessages(cafe.kafka().bootstrapServers(), LAST_MESSAGES);
        case IMPATIENT_CLIENTS -> customers.impatient(true);
        case FREEZE_RELAY -> {
          cafe.service(Cafe.ORDER).freeze();
          cafe.service(Cafe.DUAL_WRITE).freeze();
        }
      }
    } catch (RuntimeException e) {
      events.accept("%s did not work: %s".formatted(fault.title(), e.getMessage()));
    }
  }

  private void kill(ServiceProcess service) {
    kills.incrementAndGet();
    service.kill(false);
  }

  private void payments(int status, Duration delay) {
    customers.paymentFaults(cafe.service(Cafe.PAYMENT), status, delay);
    customers.paymentFaults(cafe.service(Cafe.DUAL_WRITE), status, delay);
  }

  private void ends(Fault fault) {
    try {
      switch (fault) {
        case STOCK_DOWN -> {
          cafe.service(Cafe.STOCK).start();
          customers.dualWriteStock(true);
        }
        case BROKER_DOWN -> cafe.kafka().proxy().pass();
        case SLOW_PAYMENT, PAYMENT_FAILS -> payments(0, Duration.ZERO);
        case KILL_DATABASE -> cafe.postgres().start();
        case IMPATIENT_CLIENTS -> customers.impatient(false);
        case FREEZE_RELAY -> {
          cafe.service(Cafe.ORDER).thaw();
          cafe.service(Cafe.DUAL_WRITE).thaw();
        }
        case KILL_RELAY, POISON_ORDER, DUPLICATES -> {}
      }
      events.accept(fault.title() + ": over");
    } catch (RuntimeException e) {
      events.accept("%s did not end: %s".formatted(fault.title(), e.getMessage()));
    } finally {
      synchronized (this) {
        until.remove(fault);
        lastFault = System.nanoTime();
      }
    }
  }

  @Override
  public void close() {
    hands.shutdownNow();
  }
}

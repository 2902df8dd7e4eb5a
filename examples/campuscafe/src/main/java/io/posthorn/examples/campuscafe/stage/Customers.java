package io.posthorn.examples.campuscafe.stage;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Customers place the same orders in both shops, by hand or at a rate. */
final class Customers implements AutoCloseable {
  /** A drink that no menu has. */
  static final String POISON = "espreso";

  private static final String[] DRINKS = {"espresso", "latte", "flat white"};
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int MOST_CUPS = 12;
  private static final int TICK_MILLIS = 50;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final Random random = new Random(4711);
  private final ServiceProcess order;
  private final ServiceProcess dualWrite;
  private final AtomicLong number = new AtomicLong();
  private volatile double rate;
  private volatile boolean impatient;
  private double due;

  Customers(Cafe cafe) {
    this.order = cafe.service(Cafe.ORDER);
    this.dualWrite = cafe.service(Cafe.DUAL_WRITE);
    var unused =
        clock.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    due = Math.min(due + rate * TICK_MILLIS / 1_000, rate);
    for (; due >= 1; due--) {
      place(DRINKS[random.nextInt(DRINKS.length)], cups());
    }
  }

  // One in twenty orders is for so many cups that the card is declined.
  private int cups() {
    return random.nextInt(20) == 0 ? MOST_CUPS : 1 + random.nextInt(3);
  }

  /** Orders a second; 0 for none. */
  void rate(double perSecond) {
    rate = perSecond;
  }

  double rate() {
    return rate;
  }

  /** Whether customers give up waiting at once, and send each request a second time. */
  void impatient(boolean value) {
    impatient = value;
  }

  /** Places one order in both shops. */
  void place(String drink, int cups) {
    UUID request = UUID.randomUUID();
    String body =
        "{\"drink\":\"%s\",\"cups\":%d,\"email\":\"student-%d@campus.example\"}"
            .formatted(drink, cups, number.incrementAndGet());
    for (ServiceProcess shop : new ServiceProcess[] {order, dualWrite}) {
      send(shop, request, body);
      if (impatient) {
        send(shop, request, body);
      }
    }
  }

  private void send(ServiceProcess shop, UUID request, String body) {
    // A shop that does not answer has no customer: only what it committed counts.
    CompletableFuture<?> unused =
        http.sendAsync(
            HttpRequest.newBuilder(URI.create(shop.url("/orders")))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", request.toString())
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.discarding());
  }

  /** Lets the payment endpoint of a service answer with this status, or so late. */
  void paymentFaults(ServiceProcess service, int status, Duration delay) {
    put(service, "/stage/payment-faults?status=%d&delay=%d".formatted(status, delay.toMillis()));
  }

  /** Stops or starts the stock service of the other shop, which is a part of its process. */
  void dualWriteStock(boolean up) {
    put(dualWrite, "/stage/listeners/stock?up=" + up);
  }

  private void put(ServiceProcess service, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(service.url(path)))
            .timeout(PATIENCE)
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      http.send(request, BodyHandlers.discarding());
    } catch (IOException e) {
      // It is being started again, and then it has no fault.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Messages that came again and were dropped, since this process began; 0 if it is away. */
  long duplicatesDropped(ServiceProcess service) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(service.url("/stage/duplicates-dropped")))
            .timeout(Duration.ofSeconds(1))
            .build();
    try {
      return Long.parseLong(http.send(request, BodyHandlers.ofString()).body());
    } catch (IOException | NumberFormatException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}

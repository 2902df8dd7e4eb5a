package io.posthorn.examples.campuscafe.stage;

import io.posthorn.core.error.PosthornException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Tends the services, and keeps the newest figures of both shops. */
final class Show implements AutoCloseable {
  private static final int EVENTS = 50;
  private static final long TEND_MILLIS = 200;
  private static final long READ_MILLIS = 700;

  private final Cafe cafe;
  private final Books books;
  private final Customers customers;
  private final Faults faults;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final Deque<String> events = new ArrayDeque<>();
  private final Map<Long, Long> dropped = new HashMap<>();
  private volatile Scene scene = Scene.EMPTY;

  /**
   * The newest figures.
   *
   * @param letters dead letters that wait for a person, by service
   * @param read when the databases were last read
   */
  record Scene(
      Shop posthorn,
      Shop dualWrite,
      ShopFigures posthornFigures,
      ShopFigures dualWriteFigures,
      Map<String, Long> letters,
      long duplicatesDropped,
      Instant read) {
    private static final Shop.Steps NOTHING = new Shop.Steps(Map.of());
    private static final Shop NO_SHOP = new Shop(List.of(), NOTHING, NOTHING, NOTHING);
    static final Scene EMPTY =
        new Scene(NO_SHOP, NO_SHOP, ShopFigures.NONE, ShopFigures.NONE, Map.of(), 0, Instant.EPOCH);
  }

  Show(Cafe cafe) {
    this.cafe = cafe;
    this.books = new Books(cafe);
    this.customers = new Customers(cafe);
    this.faults = new Faults(cafe, customers, this::event);
    var unused =
        clock.scheduleWithFixedDelay(
            () -> cafe.services().forEach(ServiceProcess::tend),
            TEND_MILLIS,
            TEND_MILLIS,
            TimeUnit.MILLISECONDS);
    unused = clock.scheduleWithFixedDelay(this::read, 0, READ_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void read() {
    try {
      readNow();
    } catch (SQLException | PosthornException e) {
      // The database is down, which is one of the faults. The page says how old its figures are.
      return;
    } catch (RuntimeException e) {
      event("the figures were not read: " + e);
    }
  }

  synchronized Scene readNow() throws SQLException {
    Shop posthorn = books.posthorn();
    Shop dualWrite = books.dualWrite();
    for (String name : Cafe.SERVICES) {
      ServiceProcess service = cafe.service(name);
      if (service.state() == ServiceProcess.State.UP) {
        dropped.merge(service.pid(), customers.duplicatesDropped(service), Math::max);
      }
    }
    Instant now = Instant.now();
    scene =
        new Scene(
            posthorn,
            dualWrite,
            ShopFigures.of(posthorn, now),
            ShopFigures.of(dualWrite, now),
            books.letters(),
            dropped.values().stream().mapToLong(Long::longValue).sum(),
            now);
    return scene;
  }

  void event(String text) {
    synchronized (events) {
      events.addFirst(
          LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + "  " + text);
      if (events.size() > EVENTS) {
        events.removeLast();
      }
    }
  }

  List<String> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  Scene scene() {
    return scene;
  }

  Duration age() {
    return Duration.between(scene.read(), Instant.now());
  }

  Cafe cafe() {
    return cafe;
  }

  Books books() {
    return books;
  }

  Customers customers() {
    return customers;
  }

  Faults faults() {
    return faults;
  }

  @Override
  public void close() {
    customers.close();
    faults.close();
    clock.shutdownNow();
    books.close();
  }
}

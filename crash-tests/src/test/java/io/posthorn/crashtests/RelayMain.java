package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.restore.SentJournal;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A relay in a process of its own. Says {@code ready} when it has started; takes orders for its
 * {@link CrashPlan} from its standard input; stops gracefully at SIGTERM.
 */
final class RelayMain {
  static final String APPLICATION = "shop";
  static final String ENVIRONMENT = "test";
  static final String READY = "ready";

  /** An order that is in force before the relay starts. */
  static final String ARMED = "relay.armed";

  private static final int MOST_STARTS = 10;

  private static final RetryPolicy RETRY =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(50), Duration.ofMillis(200)).attempts(6);

  private RelayMain() {}

  public static void main(String[] arguments) throws IOException {
    CrashPlan plan = new CrashPlan();
    String order = System.getProperty(ARMED);
    if (order != null) {
      plan.arm(order);
    }
    Relay relay = start(RelaySetup.fromProperties(), plan);
    Runtime.getRuntime().addShutdownHook(new Thread(relay::close));
    System.out.println(READY);
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      plan.arm(line);
    }
  }

  /** As a supervisor would: if the database is away, again. */
  private static Relay start(RelaySetup setup, CrashPlan plan) {
    for (int tries = 1; ; tries++) {
      try {
        return relay(setup, plan).start();
      } catch (PosthornException e) {
        System.err.println("start " + tries + " failed: " + e.getMessage());
        if (tries == MOST_STARTS || e.code() != ErrorCode.STORE_FAILED) {
          throw e;
        }
      }
    }
  }

  private static Relay relay(RelaySetup setup, CrashPlan plan) {
    Deliveries deliveries = new Deliveries(setup.deliveries());
    PostgresqlStore store = PostgresqlStore.on(PlannedDataSource.of(pool(setup), plan));
    Relay.Builder relay =
        Relay.on(new PlannedStore(store), APPLICATION, ENVIRONMENT)
            .name(setup.name())
            .observer(
                SentJournal.in(sent(setup.deliveries())).and(event -> told(deliveries, event)))
            .config(
                RelayConfig.builder()
                    .lease(setup.lease())
                    .settleTimeout(setup.settleTimeout())
                    .batchSize(setup.batchSize())
                    .noRouteGrace(setup.noRouteGrace())
                    .build());
    for (RelaySetup.Receiver receiver : setup.receivers()) {
      relay.destination(
          Destination.named(
                  receiver.destination(), new RecordingConnector(receiver, deliveries, plan))
              .types(receiver.types().toArray(new String[0]))
              .sendTimeout(setup.sendTimeout())
              .retry(RETRY)
              .afterDead(Traffic.HOLDING, AfterDead.HOLD)
              .build());
    }
    return relay.build();
  }

  /** The directory of the journals of what was sent, beside the deliveries. */
  static Path sent(Path deliveries) {
    return deliveries.resolveSibling(deliveries.getFileName() + ".sent");
  }

  private static HikariDataSource pool(RelaySetup setup) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(setup.url());
    pool.setMaximumPoolSize(6);
    pool.setMinimumIdle(1);
    pool.setConnectionTimeout(3_000);
    pool.setValidationTimeout(500);
    pool.setInitializationFailTimeout(-1);
    return new HikariDataSource(pool);
  }

  private static void told(Deliveries deliveries, Event event) {
    if (event instanceof Event.Claimed
        || event instanceof Event.Handed
        || event instanceof Event.Answered
        || event instanceof Event.Confirmed) {
      return;
    }
    String detail =
        event instanceof Event.Sent sent ? Integer.toString(sent.deliveries().size()) : "";
    String reason = "";
    if (event instanceof Event.LaneLost lost) {
      detail = lost.why();
    } else if (event instanceof Event.CallFailed failed) {
      detail = failed.delivery().message().id().toString();
      reason = failed.reason().code();
    }
    deliveries.event(event.destination(), event.getClass().getSimpleName(), detail, reason);
  }
}

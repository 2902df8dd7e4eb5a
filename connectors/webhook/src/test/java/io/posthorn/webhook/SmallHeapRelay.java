package io.posthorn.webhook;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.PostgresqlStore;
import java.time.Duration;

/** A relay in its own JVM, until its input ends: {@code URL HOSTILE-PORT GOOD-PORT}. */
final class SmallHeapRelay {
  private SmallHeapRelay() {}

  public static void main(String[] args) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    try (HikariDataSource pool = new HikariDataSource(config);
        Relay relay =
            Relay.on(PostgresqlStore.on(pool), "webhooks", "test")
                .config(
                    RelayConfig.builder()
                        .poll(Duration.ofMillis(20), Duration.ofMillis(100))
                        .build())
                .destination(to("hostile", Integer.parseInt(args[1])))
                .destination(to("good", Integer.parseInt(args[2])))
                .build()) {
      relay.start();
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // Runs until the JVM that started it has ended.
      }
    }
  }

  private static Destination to(String name, int port) {
    return Destination.named(name, new WebhookConnector(Sent.to(port).build()))
        .types(name.equals("hostile") ? "Evil" : "Good")
        .sendTimeout(Duration.ofSeconds(5))
        .retry(
            RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(50)).attempts(3))
        .build();
  }
}

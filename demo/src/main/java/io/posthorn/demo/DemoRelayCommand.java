package io.posthorn.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.cli.terminal.Signals;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A relay of the demo, in its own process that can be killed. */
@Command(
    name = "demo-relay",
    hidden = true,
    description = "Run a relay of 'posthorn demo', which starts and kills it.")
public final class DemoRelayCommand implements Callable<Integer> {
  static final String READY = "ready";
  static final String STOP = "stop";

  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(1);

  // The lease is short, so that another relay soon replaces a killed one.
  private static final RelayConfig CONFIG =
      RelayConfig.builder()
          .lease(Duration.ofSeconds(3))
          .settleTimeout(Duration.ofMillis(500))
          .build();

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--url", required = true, paramLabel = "URL")
  private String url = "";

  @Option(names = "--sightings", required = true, paramLabel = "FILE")
  private Path sightings = Path.of("");

  @Override
  public Integer call() throws IOException {
    // Ignores Ctrl-C, which goes to the demo as well; the demo sends STOP when this relay must
    // stop.
    Signals.on("INT", () -> {});
    SightingsFile.Appender seen = new SightingsFile.Appender(sightings.toFile());
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setMaximumPoolSize(CONFIG.storeThreads() + 2);
      try (Relay relay = relay(pool, seen).start()) {
        spec.commandLine().getOut().println(READY);
        awaitStop();
      }
    }
    return 0;
  }

  private static Relay relay(HikariDataSource pool, SightingsFile.Appender seen) {
    Relay.Builder relay =
        Relay.on(PostgresqlStore.on(pool), Shop.APPLICATION, "demo")
            .name(Lanes.nameOf(ProcessHandle.current().pid()))
            .config(CONFIG);
    for (String name : Shop.DESTINATIONS) {
      InProcess handlers =
          InProcess.handlers()
              .on(OrderChanged.TYPE, message -> seen.append(name, message))
              .threads(4)
              .build();
      relay.destination(
          Destination.named(name, handlers)
              .types(OrderChanged.TYPE)
              .sendTimeout(SEND_TIMEOUT)
              .build());
    }
    return relay.build();
  }

  /** Returns when the demo sends STOP, or when the demo has ended. */
  private static void awaitStop() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals(STOP)) {
        return;
      }
    }
  }
}

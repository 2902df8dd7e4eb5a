package io.posthorn.server;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.terminal.Signals;
import io.posthorn.server.database.Databases;
import io.posthorn.server.file.HttpSettings;
import io.posthorn.server.file.ServerFile;
import io.posthorn.server.http.HttpServer;
import io.posthorn.server.management.ManagementServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;

/** The running server, from its start to its graceful stop. */
final class Server {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  /** What the shell reports of a program that SIGTERM ended. */
  private static final int ENDED_BY_SIGNAL = 143;

  private final ServerFile file;
  private final List<Path> readableByAll;
  private final CountDownLatch asked = new CountDownLatch(1);

  /**
   * Prepares a server.
   *
   * @param readableByAll files with secrets that every user of this host may read
   */
  Server(ServerFile file, List<Path> readableByAll) {
    this.file = file;
    this.readableByAll = readableByAll;
  }

  /** Delivers until a signal asks it to stop. */
  int run() throws InterruptedException {
    Main.releaseLog();
    var registry = ManagementServer.registry();
    Databases databases = new Databases(file, registry);
    try (ManagementServer management = listen(databases, registry)) {
      Signals.on("TERM", this::signal);
      Signals.on("INT", this::signal);
      for (Path secret : readableByAll) {
        LOG.warn(
            "Every user of this host can read the secret in {}: run 'chmod o-r {}', and make sure that the server can still read it",
            secret,
            secret);
      }
      databases.start();
      LOG.info(
          "Posthorn serves {} in environment '{}'; http://{}:{} has /livez, /readyz and /metrics",
          file.databases().keySet(),
          file.environment(),
          file.management().address(),
          management.port());
      HttpServer http = listenForApi(databases);
      asked.await();
      if (http != null) {
        http.close();
      }
      LOG.info("Posthorn stops: it finishes what is in flight. A second signal ends it at once");
      databases.stop();
      LOG.info("Posthorn has stopped");
    }
    return 0;
  }

  private void signal() {
    if (asked.getCount() == 0) {
      Runtime.getRuntime().halt(ENDED_BY_SIGNAL);
    }
    asked.countDown();
  }

  private ManagementServer listen(
      Databases databases, io.micrometer.prometheusmetrics.PrometheusMeterRegistry registry) {
    try {
      return ManagementServer.start(file, databases, registry);
    } catch (PortInUseException e) {
      throw notListening("the port is in use", e);
    } catch (WebServerException e) {
      throw notListening("it cannot listen there", e);
    }
  }

  private CommandFailed notListening(String why, Exception e) {
    return notListening(
        "management", file.management().address(), file.management().port(), why, e);
  }

  private static CommandFailed notListening(
      String part, String address, int port, String why, Exception e) {
    return new CommandFailed(
        "the server was not started: %s %s:%d: %s. Set %s.port or %s.address"
            .formatted(part, address, port, why, part, part),
        e);
  }

  /** Returns null if the file has no part about it. */
  private @Nullable HttpServer listenForApi(Databases databases) {
    HttpSettings http = file.http();
    if (http == null) {
      return null;
    }
    try {
      return HttpServer.start(file, http, databases.operated());
    } catch (PortInUseException e) {
      databases.stop();
      throw notListening("http", http.address(), http.port(), "the port is in use", e);
    } catch (WebServerException e) {
      databases.stop();
      throw notListening("http", http.address(), http.port(), "it cannot listen there", e);
    }
  }
}

package io.posthorn.server.database;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.server.database.DatabaseState.Phase;
import io.posthorn.server.file.ServerFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** All databases of the file, each with its own relay. */
public final class Databases {
  private final List<ServedDatabase> databases = new ArrayList<>();
  private volatile boolean stopping;

  /**
   * Prepares all databases; {@link #start} opens them.
   *
   * @param registry receives the metrics of all; the tag {@code database} names the one
   */
  public Databases(ServerFile file, MeterRegistry registry) {
    file.databases()
        .forEach(
            (name, database) -> {
              CompositeMeterRegistry own = new CompositeMeterRegistry();
              own.config().commonTags("database", name);
              own.add(registry);
              ServedDatabase served = new ServedDatabase(name, file, database, own);
              databases.add(served);
              Gauge.builder("outbox.database.up", served, Databases::up)
                  .description("1 if the relay runs and the database answers, 0 if not")
                  .register(own);
            });
  }

  private static double up(ServedDatabase database) {
    return database.state().phase() == Phase.RUNNING ? 1 : 0;
  }

  /** Returns at once. A database that is down is tried again until it lets its relay start. */
  public void start() {
    databases.forEach(ServedDatabase::start);
  }

  /** What each database is doing, in the order of the file. */
  public List<DatabaseState> states() {
    return databases.stream().map(ServedDatabase::state).toList();
  }

  /** What the HTTP API operates, in the order of the file. Call it once. */
  public OperatedDatabases operated() {
    return OperatedDatabases.of(databases.stream().map(ServedDatabase::operated).toList());
  }

  /**
   * Whether this server delivers: at least one relay runs, and it is not stopping. One database
   * that is down does not make it unready, because restarting it helps nobody.
   */
  public boolean ready() {
    return !stopping
        && states().stream()
            .anyMatch(one -> one.phase() == Phase.RUNNING || one.phase() == Phase.UNREACHABLE);
  }

  /** Stops all at once; returns when the last one has given its lanes back. */
  public void stop() {
    stopping = true;
    if (databases.isEmpty()) {
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(databases.size());
    CompletableFuture<?>[] stops =
        databases.stream()
            .map(one -> CompletableFuture.runAsync(one::stop, threads))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(stops).join();
    } finally {
      threads.shutdown();
    }
  }
}

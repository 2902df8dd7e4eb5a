package io.posthorn.server.database;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.observe.OutboxMetrics;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.server.database.DatabaseState.Phase;
import io.posthorn.server.file.DatabaseSettings;
import io.posthorn.server.file.FileConnectors;
import io.posthorn.server.file.ServerFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One database, its pool and its relay. It has a thread of its own, which starts the relay as soon
 * as the database lets it, and then looks whether the database answers. Nothing of it is shared
 * with other databases, so none can wait for this one.
 */
final class ServedDatabase implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ServedDatabase.class);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final int ANSWER_SECONDS = 3;

  private final String name;
  private final DatabaseSettings database;
  private final ServerFile file;
  private final PostgresqlStore store;
  private final HikariDataSource pool;
  private final OutboxMetrics metrics;
  private final Thread thread;

  private final Object stopped = new Object();
  private boolean stopping;
  private volatile DatabaseState state;
  private @Nullable Relay relay;
  private @Nullable HikariDataSource apiPool;

  /**
   * Prepares a database; nothing is opened yet.
   *
   * @param registry for the metrics of this database only
   */
  ServedDatabase(String name, ServerFile file, DatabaseSettings database, MeterRegistry registry) {
    this.name = name;
    this.file = file;
    this.database = database;
    this.pool = Pools.pool(name, database, file.relay().storeThreads());
    this.store = PostgresqlStore.on(pool, database.tables());
    this.metrics =
        OutboxMetrics.on(registry)
            .database(store)
            .retention(new RetentionTimes(file.retention().sent(), file.retention().dead()))
            .build();
    this.state = new DatabaseState(name, Phase.STARTING, null);
    this.thread = new Thread(this, "posthorn-server-" + name);
    thread.setDaemon(true);
  }

  /** What the HTTP API operates; it has connections of its own. */
  OperatedDatabase operated() {
    HikariDataSource own = Pools.forApi(name, database);
    apiPool = own;
    PostgresqlStore operatedStore = PostgresqlStore.on(own, database.tables());
    OperatedDatabase operated =
        OperatedDatabase.of(name, file.environment(), operatedStore)
            .keeping(
                new RetentionTimes(file.retention().sent(), file.retention().dead()), Archive.NONE);
    if (database.acceptTypes().isEmpty()) {
      return operated;
    }
    MessageTypes types = MessageTypes.named(database.acceptTypes().toArray(String[]::new));
    return operated.adding(Outbox.on(operatedStore, types).build(), own);
  }

  DatabaseState state() {
    return state;
  }

  void start() {
    thread.start();
  }

  /** Waits for messages in flight, settles them and gives the lanes back. */
  void stop() {
    synchronized (stopped) {
      stopping = true;
      stopped.notifyAll();
    }
    join();
    Relay running = relay;
    if (running != null) {
      running.close();
    }
    state = new DatabaseState(name, Phase.STOPPED, null);
    metrics.close();
    pool.close();
    if (apiPool != null) {
      apiPool.close();
    }
  }

  private void join() {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    Duration pause = Duration.ZERO;
    while (relay == null && goOnAfter(pause)) {
      relay = tryToStart();
      pause = longer(pause);
    }
    while (relay != null && goOnAfter(LOOK_EVERY)) {
      look();
    }
  }

  private static Duration longer(Duration pause) {
    if (pause.isZero()) {
      return FIRST_PAUSE;
    }
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  /** Waits; returns false, at once, if this database is to stop. */
  private boolean goOnAfter(Duration pause) {
    long end = System.nanoTime() + pause.toNanos();
    synchronized (stopped) {
      try {
        long left = end - System.nanoTime();
        while (!stopping && left > 0) {
          TimeUnit.NANOSECONDS.timedWait(stopped, left);
          left = end - System.nanoTime();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      return !stopping;
    }
  }

  /** Returns null if the database does not let the relay start now. */
  private @Nullable Relay tryToStart() {
    Relay made = null;
    try {
      if (database.migrate()) {
        store.migrate();
      }
      // Before any connector is made, because most failures are found here.
      store.verify(file.environment());
      made = makeRelay();
      Relay started = made.start();
      become(Phase.RUNNING, null);
      return started;
    } catch (RuntimeException | Error e) {
      // An Error, too: whatever is wrong with this database, its thread goes on.
      become(Phase.NOT_STARTED, textOf(e));
      if (made != null) {
        Closing.quietly("the relay of database '%s'".formatted(name), made::close);
      }
      return null;
    }
  }

  private Relay makeRelay() {
    Relay.Builder builder =
        Relay.on(store, database.application(), file.environment())
            .name(RelayName.of(file.relay().name()))
            .config(file.relayConfig())
            .observer(metrics);
    return withDestinations(builder, FileConnectors.of(database, file).destinations());
  }

  /** Builds the relay; if that fails, closes the connectors, because no relay will. */
  static Relay withDestinations(Relay.Builder builder, List<Destination> destinations) {
    try {
      destinations.forEach(builder::destination);
      return builder.build();
    } catch (RuntimeException | Error e) {
      for (Destination one : destinations) {
        Closing.quietly("destination '%s'".formatted(one.name()), one::close);
      }
      throw e;
    }
  }

  private void look() {
    try (Connection connection = pool.getConnection()) {
      boolean answers = connection.isValid(ANSWER_SECONDS);
      become(answers ? Phase.RUNNING : Phase.UNREACHABLE, answers ? null : "it does not answer");
    } catch (SQLException | RuntimeException | Error e) {
      // An Error, too: the next look may succeed, and only this thread looks.
      become(Phase.UNREACHABLE, textOf(e));
    }
  }

  /** Changes the state; logs it if the phase, or the reason, is another than before. */
  private void become(Phase phase, @Nullable String why) {
    DatabaseState next = new DatabaseState(name, phase, why);
    if (!next.equals(state)) {
      if (phase == Phase.RUNNING) {
        LOG.info("Database {}", next.line());
      } else if (state.phase() != phase || phase == Phase.NOT_STARTED) {
        LOG.warn("Database {}", next.line());
      }
    }
    state = next;
  }

  private static String textOf(Throwable e) {
    String text = Sanitiser.text(e);
    return text.lines().findFirst().orElse(text);
  }
}

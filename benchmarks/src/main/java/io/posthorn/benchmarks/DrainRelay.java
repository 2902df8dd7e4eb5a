package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.time.Duration;

/**
 * A relay with one destination; unless another is given, it takes everything at once. A drain is
 * measured from its first claim that finds something until the last message is settled.
 */
final class DrainRelay implements AutoCloseable {
  private static final int CONNECTIONS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final Scope BENCH = Scope.destination("bench");
  private static final Actor US = new Actor("bench", "a backlog is written");

  private final Database database;
  private final HikariDataSource pool;
  private final ClaimWatch claims = new ClaimWatch();
  private final ArrivalCounter arrivals = new ArrivalCounter();
  private final Relay relay;
  private final Steering steering;

  /** One drain. */
  record Run(double perSecond, double walBytes) {}

  DrainRelay(Database database) {
    this(database, new AtOnce());
  }

  DrainRelay(Database database, Connector connector) {
    this.database = database;
    this.pool = Server.pool(database, CONNECTIONS);
    this.steering = Steering.on(PostgresqlStore.on(database.dataSource()));
    this.relay =
        Relay.on(claims.watch(PostgresqlStore.on(pool)), "bench", "bench")
            .destination(Destination.named("bench", connector).types(Backlog.TYPE).build())
            .observer(arrivals)
            .build();
  }

  DrainRelay start() {
    relay.start();
    arrivals.awaitLane();
    return this;
  }

  void pause() {
    steering.pause(BENCH, US);
  }

  /**
   * Lets the relay have the messages that were written during the pause. It is up and warm, as a
   * relay is whose destination comes back.
   */
  Run drain(long messages) {
    return measure(messages, () -> steering.resume(BENCH, US));
  }

  /** Starts, and drains what was written while no relay was running. */
  Run startAndDrain(long messages) {
    return measure(messages, this::start);
  }

  private Run measure(long messages, Runnable begin) {
    arrivals.expect(messages);
    claims.forget();
    double before = Wal.position(database);
    begin.run();
    long ended = arrivals.awaitAll(LIMIT);
    double written = Wal.position(database) - before;
    double seconds = (ended - claims.began()) / 1e9;
    return new Run(messages / seconds, written / messages);
  }

  @Override
  public void close() {
    relay.close();
    pool.close();
  }
}

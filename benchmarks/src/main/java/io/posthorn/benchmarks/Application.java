package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One instance of an application that adds messages, with or without a relay inside it. */
final class Application implements Load.Instance, AutoCloseable {
  private static final int CONNECTIONS = 14;

  private final HikariDataSource pool;
  private final Outbox outbox;
  private final IntConsumer afterCommit;
  private @Nullable Relay relay;

  /**
   * @param afterCommit receives the number of each committed message
   */
  Application(Database database, IntConsumer afterCommit) {
    this.pool = Server.pool(database, CONNECTIONS);
    this.outbox = Outbox.on(PostgresqlStore.on(pool), MessageTypes.named(Backlog.TYPE)).build();
    this.afterCommit = afterCommit;
  }

  /** Starts a relay inside the application. The application's own commits wake it. */
  void relayInside(IntConsumer receiver) {
    relayInside(new NumberedReceiver(receiver));
  }

  void relayInside(Connector connector) {
    relay = relay(connector).wokenBy(outbox).build().start();
  }

  /** Starts a relay that must poll for messages. */
  void relayBeside(IntConsumer receiver) {
    relay = relay(new NumberedReceiver(receiver)).build().start();
  }

  private Relay.Builder relay(Connector connector) {
    return Relay.on(PostgresqlStore.on(pool), "bench", "bench")
        .destination(Destination.named("bench", connector).types(Backlog.TYPE).build());
  }

  @Override
  public DataSource dataSource() {
    return pool;
  }

  @Override
  public void add(Connection tx, Message message) {
    outbox.add(tx, message);
  }

  @Override
  public void committed(int n) {
    outbox.wake();
    afterCommit.accept(n);
  }

  @Override
  public void close() {
    if (relay != null) {
      relay.close();
    }
    pool.close();
  }
}

package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Mixed work in one relay: messages of the log, messages of a broker, and messages of a broker that
 * are stored first. One in a hundred fails and is retried. One in two thousand of the log is
 * rejected, and requeued.
 */
final class SoakLoad implements AutoCloseable {
  private static final String OF_LOG = "soak.log";
  private static final String DIRECT = "soak.direct";
  private static final String DURABLE = "soak.durable";
  private static final int IN_A_TRANSACTION = 50;
  private static final Actor SOAK = new Actor("soak", "bench");
  private static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT
          .backoff(Duration.ofMillis(50), Duration.ofSeconds(1))
          .attempts(Integer.MAX_VALUE);

  final PacedNumbers log;
  final PacedNumbers direct;
  final PacedNumbers durable;

  private final HikariDataSource pool;
  private final Outbox outbox;
  private final Operations operations;
  private final Bus bus;
  private final Thread writer = new Thread(this::write, "soak-writer");
  private volatile @Nullable Throwable failure;

  /**
   * Creates a load with this rate for each of the first two kinds, and a quarter of it for the
   * stored ones.
   */
  SoakLoad(Database database, double perSecond) {
    this.log = new PacedNumbers(perSecond);
    this.direct = new PacedNumbers(perSecond);
    this.durable = new PacedNumbers(perSecond / 4);
    this.pool = Server.pool(database, 16);
    PostgresqlStore store = PostgresqlStore.on(pool);
    MessageTypes types = MessageTypes.named(OF_LOG, DIRECT, DURABLE);
    this.outbox = Outbox.on(store, types).build();
    this.operations = Operations.on(store);
    this.bus =
        Bus.on(store, pool, outbox, types)
            .relay(
                Relay.on(store, "bench", "bench")
                    .destination(
                        Destination.named("bench", new Receiver())
                            .types(OF_LOG)
                            .retry(QUICK)
                            .build()))
            .build();
    consume(DIRECT, direct, Mode.DIRECT);
    consume(DURABLE, durable, Mode.DURABLE);
  }

  private void consume(String type, PacedNumbers paced, Mode mode) {
    bus.subscribe(type)
        .from(new SoakSource(type, paced))
        .mode(mode)
        .tries(1)
        .retry(QUICK)
        .on(
            type,
            (message, handling) -> {
              if (lot(100)) {
                throw new IllegalStateException("one in a hundred fails");
              }
              paced.done();
            });
  }

  private static boolean lot(int in) {
    return ThreadLocalRandom.current().nextInt(in) == 0;
  }

  SoakLoad start() {
    bus.start();
    writer.start();
    return this;
  }

  private void write() {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      while (!Thread.currentThread().isInterrupted()) {
        List<Message> messages = new ArrayList<>();
        for (long n : log.next(IN_A_TRANSACTION, Duration.ofMillis(100))) {
          messages.add(
              Message.of(OF_LOG)
                  .key("soak", "key-" + n % Backlog.KEYS)
                  .json(Long.toString(n).getBytes(UTF_8))
                  .build());
        }
        outbox.add(connection, messages);
        connection.commit();
        outbox.wake();
      }
    } catch (InterruptedException e) {
      // The load is being closed.
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
  }

  /** Requeues all dead letters, and waits until the operation has ended. */
  void rescue() throws InterruptedException {
    Throwable why = failure;
    if (why != null) {
      throw new BenchException("the writer failed", why);
    }
    Operation started = operations.start(Plan.requeue(DeadLetterQuery.waiting()), SOAK);
    while (operations.find(started.id()).orElseThrow().state() == Operation.State.RUNNING) {
      Thread.sleep(50);
    }
  }

  /** Stops adding messages. Returns true if all added messages were finished in time. */
  boolean drain(Duration patience) throws InterruptedException {
    List.of(log, direct, durable).forEach(PacedNumbers::stop);
    long until = System.nanoTime() + patience.toNanos();
    while (left() > 0 && System.nanoTime() - until < 0) {
      rescue();
      Thread.sleep(200);
    }
    return left() <= 0;
  }

  long left() {
    return log.left() + direct.left() + durable.left();
  }

  long messages() {
    return log.given() + direct.given() + durable.given();
  }

  @Override
  public void close() {
    writer.interrupt();
    bus.close();
    pool.close();
  }

  /** A destination that answers at once, and sometimes fails or rejects a message. */
  private final class Receiver implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {
      for (int i = 0; i < messages.size(); i++) {
        answers.answer(i, outcome());
      }
    }

    private Outcome outcome() {
      if (lot(2_000)) {
        return Outcome.rejected(Reason.of("HTTP_400", "one in two thousand"));
      }
      if (lot(100)) {
        return Outcome.failed(Reason.of("HTTP_500", "one in a hundred"));
      }
      log.done();
      return Outcome.SENT;
    }

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }
}

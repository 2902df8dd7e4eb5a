package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.JavaProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay has no more in memory than a batch may have, however much waits. */
@Tag("slow")
class LargePayloadsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int MESSAGES = 80;
  private static final int BYTES = 4 << 20;
  private static final int HEADED = 1_500;
  private static final int HEADERS = 16;
  private static final int HEADER_BYTES = 4_000;

  /** A fifth of what waits. */
  private static final String HEAP = "-Xmx64m";

  @Test
  void what_waits_may_be_many_times_as_large_as_the_heap() throws SQLException {
    String database = EmbeddedPostgres.shared().freshDatabase();
    add(migrated(database));
    assertAllArrive(database, MESSAGES, BYTES);
  }

  @Test
  void headers_of_what_waits_may_be_many_times_as_large_as_the_heap() throws SQLException {
    String database = EmbeddedPostgres.shared().freshDatabase();
    addHeaded(migrated(database));
    assertAllArrive(database, HEADED, HEADERS * HEADER_BYTES);
  }

  private static DataSource migrated(String database) {
    DataSource dataSource = EmbeddedPostgres.shared().dataSource(database);
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    return dataSource;
  }

  private static void assertAllArrive(String database, int messages, int bytes) {
    try (JavaProcess relay =
        JavaProcess.of(Receiver.class)
            .jvmOption(HEAP, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")
            .args(
                EmbeddedPostgres.shared().jdbcUrl(database),
                Integer.toString(messages),
                Integer.toString(bytes))
            .start()) {
      assertThat(relay.awaitExit(PATIENCE)).as(() -> String.join("\n", relay.errors())).isZero();
    }
  }

  private static void add(DataSource dataSource) throws SQLException {
    Outbox outbox =
        Outbox.on(PostgresqlStore.on(dataSource), MessageTypes.named("Large"))
            .limits(new Limits(BYTES))
            .build();
    Random random = new Random(1);
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      for (int i = 0; i < MESSAGES; i++) {
        byte[] payload = new byte[BYTES];
        random.nextBytes(payload);
        outbox.add(tx, Message.of("Large").payload(payload, "application/octet-stream").build());
      }
      tx.commit();
    }
  }

  private static void addHeaded(DataSource dataSource) throws SQLException {
    Outbox outbox = Outbox.on(PostgresqlStore.on(dataSource), MessageTypes.named("Headed")).build();
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      for (int i = 0; i < HEADED; i++) {
        Message.Builder message = Message.of("Headed").json(new byte[0]);
        for (int h = 0; h < HEADERS; h++) {
          message.header("h" + h, "%%0%dd".formatted(HEADER_BYTES).formatted(i));
        }
        outbox.add(tx, message.build());
      }
      tx.commit();
    }
  }

  /** The relay's process: ends when everything has arrived. */
  static final class Receiver implements Connector {
    private final int expected;
    private final int bytes;
    private int arrived;

    private Receiver(int expected, int bytes) {
      this.expected = expected;
      this.bytes = bytes;
    }

    public static void main(String[] arguments) throws InterruptedException {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(arguments[0]);
      Receiver receiver =
          new Receiver(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      try (HikariDataSource pool = new HikariDataSource(config);
          Relay relay =
              Relay.on(PostgresqlStore.on(pool), "tests", "tests")
                  .destination(
                      Destination.named("store", receiver)
                          .allTypes()
                          .startAt(Start.EARLIEST)
                          .build())
                  .build()
                  .start()) {
        receiver.awaitAll();
      }
    }

    private synchronized void awaitAll() throws InterruptedException {
      while (arrived < expected) {
        wait();
      }
    }

    @Override
    public synchronized void send(List<Message> messages, Answers answers) {
      for (int i = 0; i < messages.size(); i++) {
        if (size(messages.get(i)) != bytes) {
          throw new IllegalStateException("a message of another size");
        }
        answers.answer(i, Outcome.SENT);
        arrived++;
      }
      notifyAll();
    }

    private static int size(Message message) {
      return message.payload().length
          + message.headers().values().stream().mapToInt(String::length).sum();
    }

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }
}

package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.JavaProcess;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A relay with a small heap that serves a hostile receiver and a well-behaved one. */
class HostileRelayTest {
  private static final int EACH = 40;
  private static final int AT_ONCE = 10;
  private static final List<Attack> ATTACKS =
      Arrays.stream(Attack.values())
          .filter(attack -> attack.outcome.startsWith("Unavailable"))
          .toList();

  private final Set<String> arrived = ConcurrentHashMap.newKeySet();
  private final AtomicInteger attacks = new AtomicInteger();

  private void accept(String head, OutputStream out) throws Exception {
    int id = head.indexOf("webhook-id: ");
    if (id >= 0) {
      String type = head.contains("ce-type: evil") ? "evil " : "good ";
      arrived.add(type + head.substring(id, head.indexOf("\r\n", id)));
    }
    out.write("HTTP/1.1 204 X\r\n\r\n".getBytes(ISO_8859_1));
  }

  private void attack(OutputStream out) throws Exception {
    int before = attacks.getAndIncrement();
    // The most expensive attacks come first: the relay sends many messages at once until it knows.
    Attack next =
        before < AT_ONCE ? Attack.LARGE_HEADERS_WITHOUT_END : ATTACKS.get(before % ATTACKS.size());
    next.run(out);
  }

  private long arrived(String type) {
    return arrived.stream().filter(one -> one.startsWith(type)).count();
  }

  @Test
  void a_hostile_receiver_costs_no_message_and_no_other_destination() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
    try (HikariDataSource pool = new HikariDataSource(config);
        HostileServer hostile = new HostileServer((head, out) -> attack(out));
        HostileServer good = new HostileServer(this::accept)) {
      new Migrations(Tables.DEFAULT).migrate(pool);
      PostgresqlStore store = PostgresqlStore.on(pool);
      Outbox outbox = Outbox.on(store, MessageTypes.named("Evil", "Good")).build();
      try (JavaProcess relay =
          JavaProcess.of(SmallHeapRelay.class)
              .jvmOption("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx40m")
              .args(
                  config.getJdbcUrl(),
                  Integer.toString(hostile.port()),
                  Integer.toString(good.port()))
              .start()) {
        relay.awaitLine("ready"::equals, Duration.ofSeconds(30));
        add(pool, outbox, "Evil");
        await("every attack")
            .atMost(Duration.ofSeconds(60))
            .until(() -> attacks.get() > AT_ONCE + 2);
        add(pool, outbox, "Good");
        await("the others").atMost(Duration.ofSeconds(30)).until(() -> arrived("good") == EACH);
        hostile.behave(this::accept);
        await("all").atMost(Duration.ofSeconds(60)).until(() -> arrived("evil") == EACH);
        assertThat(relay.isRunning()).isTrue();
        assertThat(DeadLetters.on(store).list(DeadLetterQuery.waiting(), null, 10)).isEmpty();
      }
    }
  }

  private static void add(HikariDataSource pool, Outbox outbox, String type) throws SQLException {
    try (Connection tx = pool.getConnection()) {
      tx.setAutoCommit(false);
      for (int i = 0; i < EACH; i++) {
        Message message = Message.of(type).key("Order", "k" + i).json("{}".getBytes(UTF_8)).build();
        outbox.add(tx, message);
      }
      tx.commit();
    }
  }
}

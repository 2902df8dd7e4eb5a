package io.posthorn.postgresql.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.Store;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.Around;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.Oracle;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Relays share the four lanes of a destination while they come and go, and while one of them loses
 * the database: nothing is lost, and each key keeps its order.
 */
@Tag("slow")
class ManyLanesUnderWayTest {
  private static final int BATCH = 100;

  private static final RelayConfig CONFIG =
      RelayConfig.builder()
          .lease(Duration.ofSeconds(2))
          .settleTimeout(Duration.ofMillis(500))
          .poll(Duration.ofMillis(2), Duration.ofMillis(50))
          .batchSize(BATCH)
          .build();

  private static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(100));

  private final PostgresqlDatabase database = TestServer.newest().databaseWithFourLanes();
  private final Outbox outbox = Outbox.on(database.store(), Oracle.TYPES).build();
  private final Oracle oracle = Oracle.in(database.dataSource()).keys(keys());
  private final AtomicBoolean writing = new AtomicBoolean(true);
  private final Deque<Relay> relays = new ArrayDeque<>();

  @AfterEach
  void close() {
    relays.forEach(Relay::close);
    database.execute("DROP TABLE IF EXISTS oracle_entry, oracle_aggregate");
    database.close();
  }

  private static List<String> keys() {
    return IntStream.range(0, 40).mapToObj(i -> i / 20 + "k" + i % 20).toList();
  }

  /** One in twenty sends fails, so that messages of all lanes are parked all the time. */
  private Outcome send(Message message) {
    if (ThreadLocalRandom.current().nextInt(20) == 0) {
      return Outcome.failed(Reason.of("HTTP_500", "500"));
    }
    oracle.observe(message);
    return Outcome.SENT;
  }

  private void start(Store store) {
    Relay.Builder relay = Relay.on(store, "tests", "test").config(CONFIG);
    relay.destination(
        Destination.named("shop", FakeConnector.acking().outcome(this::send))
            .allTypes()
            .retry(QUICK)
            .sendTimeout(Duration.ofMillis(300))
            .build());
    relays.add(relay.build().start());
  }

  /** Returns the store as a relay sees it whose connections all end at some moment. */
  private Store losing(AtomicBoolean lost) {
    return Around.calls(
        Store.class,
        database.anotherStore(),
        (name, call) -> {
          if (lost.get()) {
            throw new PosthornException(ErrorCode.STORE_FAILED, "the connection is gone");
          }
          Object result = call.proceed();
          if (lost.get()) {
            throw new PosthornException(ErrorCode.STORE_FAILED, "the answer is lost");
          }
          return result;
        });
  }

  private void write(int seed) {
    Random random = new Random(seed);
    while (writing.get()) {
      try (Connection tx = database.dataSource().getConnection()) {
        tx.setAutoCommit(false);
        // Each writer has keys of its own: then the order of a key is that of its transactions.
        List<String> keys =
            IntStream.range(0, 1 + random.nextInt(5))
                .mapToObj(i -> seed + "k" + random.nextInt(20))
                .toList();
        oracle.produce(tx, outbox, keys, 20);
        Thread.sleep(random.nextInt(4));
        tx.commit();
        tx.setAutoCommit(true);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private List<String> holders() {
    return database.query(
        "SELECT DISTINCT relay::text FROM posthorn_lane WHERE destination = 'shop' AND relay IS NOT NULL",
        row -> row.getString(1));
  }

  @Test
  void nothing_is_lost_or_reordered_while_relays_come_go_and_lose_the_database() throws Exception {
    AtomicBoolean lost = new AtomicBoolean();
    start(losing(lost));
    start(database.anotherStore());
    List<CompletableFuture<Void>> writers =
        IntStream.range(0, 2)
            .mapToObj(seed -> CompletableFuture.runAsync(() -> write(seed)))
            .toList();
    await().atMost(Duration.ofSeconds(20)).until(() -> holders().size() == 2);
    lost.set(true);
    await().atMost(Duration.ofSeconds(20)).until(() -> holders().size() == 1);
    for (int round = 0; round < 3; round++) {
      start(database.anotherStore());
      await().atMost(Duration.ofSeconds(20)).until(() -> holders().size() == 2);
      // The oldest of those that work is always the second.
      Relay broken = relays.removeFirst();
      relays.removeFirst().close();
      relays.addFirst(broken);
    }
    writing.set(false);
    writers.forEach(CompletableFuture::join);
    await().atMost(Duration.ofSeconds(40)).until(() -> oracle.distinct() == oracle.committed());
    oracle.assertClean();
    assertThat(oracle.observed() - oracle.distinct()).as("repeated").isLessThanOrEqualTo(BATCH);
  }
}

package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.testkit.TestLane;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A claim that reads row by row keeps to its byte limit like any other: one unreadable row does not
 * load a hundred large ones into the relay's memory.
 */
class RowByRowBytesTest {
  private static final int EACH = 10_000;
  private static final ClaimLimits THREE = new ClaimLimits(100, 3 * EACH);

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final AtomicInteger rows = new AtomicInteger();
  private final TestLanes lanes =
      new TestLanes(counting("read one row", "read payload of one parked"));

  @AfterEach
  void close() {
    database.close();
  }

  private static Message[] large(int count) {
    return Stream.generate(() -> message("x".repeat(EACH))).limit(count).toArray(Message[]::new);
  }

  private void makeUnreadable(Message message) {
    database.execute(
        "UPDATE posthorn_log SET recorded_at = 'infinity' WHERE id = '%s'".formatted(message.id()));
  }

  @Test
  void a_claim_of_the_log_reads_no_more_rows_than_its_bytes_allow() {
    TestLane shop = lanes.take("shop");
    Message unreadable = message("no");
    lanes.add(large(5));
    lanes.add(unreadable);
    lanes.add(large(10));
    makeUnreadable(unreadable);
    assertThat(claimAll(shop)).hasSize(16);
  }

  @Test
  void stragglers_and_the_range_behind_them_share_the_bytes() throws SQLException {
    TestLane shop = lanes.take("shop");
    Message unreadable = message("no");
    try (Connection late = database.dataSource().getConnection()) {
      late.setAutoCommit(false);
      lanes.store().append(late, List.of(large(5)), Collections.nCopies(5, ""), false);
      lanes.commit("1");
      shop.settle(shop.batch());
      late.commit();
    }
    lanes.add(large(5));
    lanes.add(unreadable);
    makeUnreadable(unreadable);
    assertThat(claimAll(shop)).hasSize(11);
  }

  @Test
  void a_claim_of_parked_messages_holds_no_more_unreadable_ones_than_its_bytes_allow() {
    TestLane shop = lanes.take("shop");
    lanes.add(large(10));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        batch.deliveries().stream()
            .map(one -> new Move.Park(one, Waiting.RETRY, 0, Duration.ZERO, null))
            .toArray(Move[]::new));
    database.execute("UPDATE posthorn_parked SET recorded_at = 'infinity'");
    assertThat(shop.parked(THREE)).hasSize(3).allMatch(one -> one.unreadable() != null);
    assertThat(rows).hasValue(3);
  }

  /** Claims the whole log, and checks how many rows each claim reads. */
  private List<Delivery> claimAll(TestLane shop) {
    List<Delivery> all = new ArrayList<>();
    int before = 0;
    Batch batch = shop.claim(THREE).batch();
    while (batch != null) {
      assertThat(rows.get() - before).as("rows read").isLessThanOrEqualTo(4);
      before = rows.get();
      assertThat(batch.deliveries()).hasSizeBetween(1, 4);
      all.addAll(batch.deliveries());
      shop.settle(batch);
      batch = shop.claim(THREE).batch();
    }
    assertThat(rows).hasPositiveValue();
    return all;
  }

  /** Counts the statements with these names. */
  private DataSource counting(String... names) {
    return proxy(
        DataSource.class,
        database.dataSource(),
        (call, connection) ->
            call.equals("getConnection")
                ? proxy(
                    Connection.class,
                    (Connection) connection,
                    (text, statement) -> {
                      rows.addAndGet(Stream.of(names).anyMatch(text::contains) ? 1 : 0);
                      return statement;
                    })
                : connection);
  }

  private interface Change {
    Object of(String call, Object result);
  }

  /** The call is the first argument, or the method name if there is none. */
  private static <T> T proxy(Class<T> type, T real, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              try {
                String call = arguments == null ? called.getName() : String.valueOf(arguments[0]);
                return change.of(call, called.invoke(real, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}

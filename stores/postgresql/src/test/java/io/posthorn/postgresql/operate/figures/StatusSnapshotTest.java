package io.posthorn.postgresql.operate.figures;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The status takes several statements, and everything changes between them. */
class StatusSnapshotTest {
  private final PostgresqlDatabase database = TestServer.newest().database();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void a_message_that_is_parked_while_the_status_is_read_is_counted_once() {
    TestLanes lanes = new TestLanes(database);
    TestLane mail = lanes.take("mail");
    lanes.add(keyed("k", "1"));
    Batch batch = mail.batch();
    AtomicBoolean parked = new AtomicBoolean();
    Runnable park =
        () -> {
          if (parked.compareAndSet(false, true)) {
            mail.settle(
                batch,
                new Move.Park(
                    batch.deliveries().get(0),
                    Waiting.RETRY,
                    1,
                    Duration.ofHours(1),
                    Reason.of(Reason.UNKNOWN, "a test")));
          }
        };
    Backlog status =
        PostgresqlStore.on(before("count pending", park)).status().destinations().stream()
            .filter(backlog -> backlog.status().name().equals("mail"))
            .findFirst()
            .orElseThrow();
    assertThat(parked).isTrue();
    assertThat(status.pending() + status.status().parked()).isEqualTo(1);
  }

  /** Runs this right before the statement with this name. */
  private DataSource before(String name, Runnable action) {
    return proxy(
        DataSource.class,
        database.dataSource(),
        "getConnection",
        connection ->
            proxy(
                Connection.class,
                (Connection) connection,
                "prepareStatement",
                one -> one,
                name,
                action),
        "",
        () -> {});
  }

  private interface Change {
    Object of(Object result);
  }

  private static <T> T proxy(
      Class<T> type, T real, String method, Change change, String name, Runnable action) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              boolean meant = called.getName().equals(method);
              if (meant && arguments != null && String.valueOf(arguments[0]).contains(name)) {
                action.run();
              }
              try {
                Object result = called.invoke(real, arguments);
                return meant ? change.of(result) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}

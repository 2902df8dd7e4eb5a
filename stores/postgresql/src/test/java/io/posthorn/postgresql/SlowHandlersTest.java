package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.TYPE;
import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.observe.Event;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slow handlers in the same program, with few threads. */
class SlowHandlersTest {
  private static final int MESSAGES = 16;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Queue<String> handled = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void messages_that_wait_for_a_thread_do_not_time_out() {
    InProcess handlers =
        InProcess.handlers()
            .on(
                TYPE,
                message -> {
                  Thread.sleep(400);
                  handled.add(message.id().toString());
                })
            .threads(2)
            .build();
    Destination destination =
        Destination.named("shop", handlers).types(TYPE).sendTimeout(Duration.ofSeconds(1)).build();
    try (Relay relay =
        Relay.on(database.store(), "tests", "test")
            .destination(destination)
            .observer(events::add)
            .build()
            .start()) {
      for (int i = 0; i < MESSAGES; i++) {
        lanes.add(keyed("k" + i, "" + i));
      }
      await().until(() -> handled.size() >= MESSAGES);
    }
    assertThat(handled).hasSize(MESSAGES).doesNotHaveDuplicates();
    assertThat(events).noneMatch(event -> event instanceof Event.CallFailed);
  }
}

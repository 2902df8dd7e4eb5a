package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.trace.Tracing;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a lane stores for people about its destination. */
class LaneCheckTest {
  private static final Reason REFUSED = Reason.of(Reason.STORE_REFUSED, "SQLSTATE 23514");
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  /** What was stored, each time. */
  private final List<List<?>> stored = new ArrayList<>();

  private final EngineFixture lane = new EngineFixture();
  private final Mailbox mailbox = new Mailbox();
  private final LaneCheck check =
      new LaneCheck(
          new RelayContext(
              store(),
              RelayConfig.builder().build(),
              Runnable::run,
              new ConnectorChecks(),
              new WarnOncePerMinute(() -> lane.now),
              () -> lane.now,
              new Random(1),
              event -> {},
              Tracing.NONE,
              PayloadCipher.NONE,
              Classifier.DEFAULT),
          Destination.named("d", EngineFixture.noConnector()).types("T").build(),
          new Lane("d", 0, new UUID(0, 0)),
          lane.engine,
          mailbox);

  private RelayStore store() {
    return (RelayStore)
        Proxy.newProxyInstance(
            RelayStore.class.getClassLoader(),
            new Class<?>[] {RelayStore.class},
            (proxy, method, args) -> {
              assertThat(method.getName()).isEqualTo("checked");
              stored.add((List<?>) args[1]);
              return null;
            });
  }

  /** Starts a check, which must be due, and waits for its end. */
  private List<?> checked() {
    int before = stored.size();
    check.startIfDue(lane.now);
    await().until(() -> mailbox.drain() && stored.size() > before);
    return stored.get(stored.size() - 1);
  }

  @Test
  void what_the_database_refuses_is_stored_at_once_and_until_it_has_not_come_for_two_minutes() {
    lane.pass(A_MINUTE);
    assertThat(checked()).isEmpty();
    check.refused("settle message m", REFUSED);
    check.refused("settle message m", REFUSED);
    assertThat(stored).as("once").hasSize(2);
    assertThat(stored.get(1))
        .isEqualTo(
            List.of(
                Finding.problem(
                    Reason.of(
                        Reason.STORE_REFUSED, "could not settle message m: SQLSTATE 23514"))));
    lane.pass(A_MINUTE);
    check.refused("settle message m", REFUSED);
    lane.pass(A_MINUTE.multipliedBy(2));
    assertThat(checked()).hasSize(1);
    lane.pass(A_MINUTE);
    assertThat(checked()).isEmpty();
    lane.pass(A_MINUTE);
    check.startIfDue(lane.now);
    assertThat(mailbox.drain()).as("nothing is wrong any more").isFalse();
  }
}

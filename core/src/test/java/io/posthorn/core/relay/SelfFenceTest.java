package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.SteeringState;
import io.posthorn.core.trace.Tracing;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A relay that froze sends nothing after its lease: the lane checks its own clock right before each
 * call of the connector. The clock of this test stands still unless the test moves it.
 */
class SelfFenceTest {
  private static final long ASKED = 1_000;
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long END = ASKED + LEASE.toNanos();
  private static final int TICKS = 600;

  private final List<String> sent = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final Lease lease = new Lease(ASKED);
  private long now = ASKED;
  private long afterTheFirst;
  private int ticks;
  private LaneLoop loop;

  /** Sends two messages in two calls; time passes during the first call. */
  private void run(long afterTheFirstCall) {
    afterTheFirst = afterTheFirstCall;
    Destination destination =
        Destination.named("d", connector())
            .types("T")
            .sendTimeout(TIMEOUT)
            .limit(SendLimit.DEFAULT.maxInFlight(1))
            .build();
    RelayContext context =
        new RelayContext(
            store(),
            RelayConfig.builder().lease(Duration.ofMillis(8)).build(),
            Runnable::run,
            new ConnectorChecks(),
            new WarnOncePerMinute(() -> now),
            this::tick,
            new Random(1),
            events::add,
            Tracing.NONE,
            PayloadCipher.NONE,
            Classifier.DEFAULT);
    Lane lane = new Lane("d", 0, new UUID(0, 0));
    loop =
        new LaneLoop(
            context,
            lease,
            destination,
            new LaneShare(destination, 0),
            lane,
            worked -> {},
            ended -> {});
    loop.run();
  }

  /** Ends the loop after enough rounds. */
  private long tick() {
    if (++ticks == TICKS) {
      loop.abandon("the test is over");
    }
    return now;
  }

  private Connector connector() {
    return new Connector() {
      @Override
      public void send(List<Message> messages, Answers answers) {
        for (int i = 0; i < messages.size(); i++) {
          sent.add(new String(messages.get(i).payload(), StandardCharsets.UTF_8));
          answers.answer(i, Outcome.SENT);
        }
        now = afterTheFirst;
      }

      @Override
      public boolean serves(String type) {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  /** A store with one page of messages. */
  private RelayStore store() {
    Head head = earlier -> false;
    LaneState state = new LaneState(SteeringState.NOT, null, head, new UUID(0, 0));
    List<Delivery> page = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      Message message = Message.of("T").json(name.getBytes(StandardCharsets.UTF_8)).build();
      page.add(
          new Delivery(message, page.size() + 1, EngineFixture.NOW, 0, Duration.ZERO, false, null));
    }
    Batch batch = new EngineFixture.TestBatch(page, Set.of(), 0, 2);
    List<Batch> left = new ArrayList<>(List.of(batch));
    return (RelayStore)
        Proxy.newProxyInstance(
            RelayStore.class.getClassLoader(),
            new Class<?>[] {RelayStore.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "claim" -> new Claim(state, left.isEmpty() ? null : left.remove(0));
                  case "settle" -> new Claim(state, null);
                  case "readAhead", "claimParked" -> List.of();
                  case "retryWaitingForCode" -> 0;
                  case "checked", "breaker", "release" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void no_send_begins_that_could_last_until_the_lease_ends() {
    lease.renewed(ASKED, LEASE);
    run(END - TIMEOUT.toNanos());
    assertThat(sent).containsExactly("a");
  }

  @Test
  void a_send_that_ends_before_the_lease_may_begin() {
    lease.renewed(ASKED, LEASE);
    run(END - TIMEOUT.toNanos() - 1);
    assertThat(sent).containsExactly("a", "b");
  }

  @Test
  void a_lane_without_a_lease_sends_nothing_at_all() {
    run(ASKED);
    assertThat(sent).isEmpty();
    assertThat(events).noneMatch(Event.Handed.class::isInstance);
  }
}

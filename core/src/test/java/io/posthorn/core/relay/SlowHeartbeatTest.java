package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Signals;
import io.posthorn.core.store.SteeringState;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The database answers the first heartbeat late and the next one never. The lease in the database
 * began before the answer, so the relay counts from the moment before it asked. Its clock moves
 * only while it waits for the first answer.
 */
class SlowHeartbeatTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /** Each round of a lane looks at the clock twice. */
  private static final int SOME_ROUNDS = 8;

  private final AtomicLong now = new AtomicLong(1_000);
  private final AtomicInteger beats = new AtomicInteger();
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger looksOfTheLane = new AtomicInteger();
  private final AtomicInteger claims = new AtomicInteger();
  private final List<Message> sent = new CopyOnWriteArrayList<>();

  /** Runs a relay with one message for a destination with this send timeout. */
  private void run(Duration sendTimeout) {
    Relay relay =
        Relay.on(store(), "tests", "test")
            .ticker(this::tick)
            .config(RelayConfig.builder().lease(LEASE).settleTimeout(Duration.ofSeconds(1)).build())
            .destination(
                Destination.named("d", connector()).types("T").sendTimeout(sendTimeout).build())
            .build()
            .start();
    try {
      await().until(() -> claims.get() > 0);
      int before = looksOfTheLane.get();
      await().until(() -> !sent.isEmpty() || looksOfTheLane.get() - before > SOME_ROUNDS);
    } finally {
      over.countDown();
      relay.close();
    }
  }

  private long tick() {
    if (Thread.currentThread().getName().endsWith("-d")) {
      looksOfTheLane.incrementAndGet();
    }
    return now.get();
  }

  private Connector connector() {
    return new Connector() {
      @Override
      public void send(List<Message> messages, Answers answers) {
        sent.addAll(messages);
        for (int i = 0; i < messages.size(); i++) {
          answers.answer(i, Outcome.SENT);
        }
      }

      @Override
      public boolean serves(String type) {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  private RelayStore store() {
    Head head = earlier -> true;
    LaneState state = new LaneState(SteeringState.NOT, null, head, new UUID(0, 0));
    Message message = Message.of("T").json("a".getBytes(StandardCharsets.UTF_8)).build();
    Delivery delivery = new Delivery(message, 1, EngineFixture.NOW, 0, Duration.ZERO, false, null);
    Batch batch = new EngineFixture.TestBatch(List.of(delivery), Set.of(), 0, 1);
    Lane lane = new Lane("d", 0, new UUID(0, 1));
    return (RelayStore)
        Proxy.newProxyInstance(
            RelayStore.class.getClassLoader(),
            new Class<?>[] {RelayStore.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "beat" -> beaten((RelayIdentity) args[0]);
                  case "take" -> Optional.of(lane);
                  case "claim" -> new Claim(state, claims.getAndIncrement() == 0 ? batch : null);
                  case "settle" -> new Claim(state, null);
                  case "head" -> head;
                  case "look" -> new Signals(head, Set.of(), Set.of(), 1, false, Map.of());
                  case "readAhead", "claimParked" -> List.of();
                  case "retryWaitingForCode" -> 0;
                  case "verify",
                      "join",
                      "register",
                      "checkRetention",
                      "checked",
                      "release",
                      "leave" ->
                      null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private Optional<ClusterState> beaten(RelayIdentity relay) throws InterruptedException {
    if (beats.incrementAndGet() > 1) {
      over.await();
    }
    now.addAndGet(ANSWER.toNanos());
    ServedDestination all = new ServedDestination("d", Set.of("T"));
    return Optional.of(
        new ClusterState(
            List.of(new ClusterState.Member(relay.id(), List.of(all))),
            List.of(new ClusterState.Holding("d", 0, null, true)),
            List.of(all)));
  }

  @Test
  void a_send_that_would_last_longer_than_the_rest_of_the_lease_does_not_begin() {
    run(LEASE.minus(ANSWER));
    assertThat(sent).isEmpty();
  }

  @Test
  void a_send_that_ends_within_the_rest_of_the_lease_begins() {
    run(LEASE.minus(ANSWER).minusMillis(1));
    assertThat(sent).hasSize(1);
  }
}

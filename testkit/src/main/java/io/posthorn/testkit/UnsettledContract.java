package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The bound of what a crash could deliver twice, and messages that are read before they may be
 * sent.
 */
public abstract class UnsettledContract extends RelayTopic {
  private static final int MOST = 20;

  private final FakeConnector shop = FakeConnector.acking();
  private final Semaphore read = new Semaphore(0);

  /** Settles of this store last until the next page is read, if there is one. */
  private Store slow(Store store) {
    return Around.calls(
        Store.class,
        store,
        (name, call) -> {
          if (name.equals("settle")) {
            boolean unused = read.tryAcquire(100, TimeUnit.MILLISECONDS);
          }
          try {
            return call.proceed();
          } finally {
            if (name.equals("readAhead")) {
              read.release();
            }
          }
        });
  }

  @Test
  void no_more_than_a_batch_is_sent_and_unsettled_however_slow_the_settles_are() {
    AtomicInteger unsettled = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    shop.outcome(
        m -> {
          most.accumulateAndGet(unsettled.incrementAndGet(), Math::max);
          return Outcome.SENT;
        });
    Message[] messages = backlog();
    start(
        slow(db().anotherStore()),
        relay ->
            relay
                .config(RelayConfig.builder().batchSize(MOST).build())
                .observer(
                    event -> {
                      if (event instanceof Event.Sent sent) {
                        unsettled.addAndGet(-sent.deliveries().size());
                      }
                    }),
        to(SHOP, shop));
    eventually(shop, got -> assertThat(got).hasSize(messages.length));
    assertThat(most.get()).isLessThanOrEqualTo(MOST);
  }

  @Test
  void no_more_than_a_batch_is_in_flight_including_parked_messages() {
    Relay first = start(to(SHOP, shop));
    Instant later = Instant.now().plusSeconds(2);
    Message[] parked = new Message[MOST];
    Arrays.setAll(parked, i -> Message.of("Tested").json(new byte[0]).notBefore(later).build());
    commit(parked);
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(MOST));
    first.close();
    backlog();
    shop.reply(m -> FakeConnector.Reply.late(Outcome.SENT));
    Duration patience = Duration.ofSeconds(8);
    start(
        relay -> relay.config(RelayConfig.builder().batchSize(MOST).slowAfter(patience).build()),
        to(SHOP, shop).sendTimeout(patience));
    await()
        .during(Duration.ofSeconds(3))
        .untilAsserted(() -> assertThat(shop.waitingForAnswers()).isLessThanOrEqualTo(MOST));
    answerAll();
  }

  /** Such a settle may be lost in a crash of the server, and its batch would be sent again. */
  @Test
  void a_settle_claims_no_next_batch_while_parked_messages_are_in_flight() {
    countsWhatOneLaneDoes();
    AtomicBoolean parkedIsOut = new AtomicBoolean();
    Queue<Boolean> claims = new ConcurrentLinkedQueue<>();
    Store watched =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              if (name.equals("settle") && parkedIsOut.get()) {
                claims.add(((Settlement) call.argument(0)).claimNext() != null);
              }
              return call.proceed();
            });
    shop.reply(
        m ->
            TestMessages.content(m).equals("parked")
                ? FakeConnector.Reply.never()
                : FakeConnector.Reply.late(Outcome.SENT));
    Duration patience = Duration.ofSeconds(5);
    start(
        watched,
        relay -> relay.config(RelayConfig.builder().slowAfter(patience).build()),
        to(SHOP, shop).sendTimeout(patience));
    Message parked =
        Message.of("Tested")
            .json("parked".getBytes(UTF_8))
            .notBefore(Instant.now().plusSeconds(1))
            .build();
    commit(parked);
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    commit(message("of the log"));
    eventually(shop, got -> assertThat(got).contains("parked", "of the log"));
    parkedIsOut.set(true);
    shop.answerLate();
    eventually(() -> assertThat(claims).isNotEmpty());
    assertThat(claims.peek()).isFalse();
  }

  @Test
  void messages_with_slow_answers_do_not_make_settles_of_other_messages_dearer() {
    AtomicBoolean isAside = new AtomicBoolean();
    Queue<Boolean> claims = new ConcurrentLinkedQueue<>();
    Store watched =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              if (name.equals("settle") && isAside.get()) {
                claims.add(((Settlement) call.argument(0)).claimNext() != null);
              }
              return call.proceed();
            });
    shop.reply(
        m ->
            TestMessages.content(m).equals("slow")
                ? FakeConnector.Reply.late(Outcome.SENT)
                : FakeConnector.Reply.now(Outcome.SENT));
    start(watched, relay -> relay, to(SHOP, shop));
    commit(message("slow"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    isAside.set(true);
    commit(message("other"));
    eventually(() -> assertThat(claims).isNotEmpty());
    assertThat(claims.peek()).as("one transaction settles and claims").isTrue();
    shop.answerLate();
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
  }

  /** What is sent between two tries would come on top of the batch that the settle may lose. */
  @Test
  void a_settle_that_claims_and_is_repeated_is_not_overtaken_by_parked_messages() {
    countsWhatOneLaneDoes();
    AtomicBoolean failing = new AtomicBoolean();
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    Store failingSettles =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              if (failing.get()) {
                calls.add(name);
                if (name.equals("settle") && ((Settlement) call.argument(0)).claimNext() != null) {
                  throw new PosthornException(ErrorCode.STORE_FAILED, "the server restarts");
                }
              }
              return call.proceed();
            });
    start(failingSettles, relay -> relay, to(SHOP, shop));
    Instant later = Instant.now().plusSeconds(1);
    commit(Message.of("Tested").json("parked".getBytes(UTF_8)).notBefore(later).build());
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    failing.set(true);
    commit(message("of the log"));
    eventually(() -> assertThat(calls).contains("settle"));
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(4))
        .untilAsserted(() -> assertThat(calls).doesNotContain("claimParked"));
    failing.set(false);
    eventually(shop, got -> assertThat(got).containsExactly("of the log", "parked"));
  }

  @Test
  void no_more_bytes_than_a_batch_may_have_are_in_flight_however_late_the_answers_are() {
    countsWhatOneLaneDoes();
    AtomicInteger most = new AtomicInteger();
    shop.reply(
        m -> {
          most.accumulateAndGet(shop.waitingForAnswers() + 1, Math::max);
          return FakeConnector.Reply.late(Outcome.SENT);
        });
    start(to(SHOP, shop)).close();
    Message[] messages = new Message[100];
    Arrays.setAll(messages, i -> message("m" + i + "x".repeat(1_000)));
    commit(messages);
    start(
        slow(db().anotherStore()),
        relay -> relay.config(RelayConfig.builder().batchBytes(10_000).build()),
        to(SHOP, shop));
    eventually(() -> assertThat(read.availablePermits()).isGreaterThanOrEqualTo(2));
    answerAll();
    eventually(shop, got -> assertThat(got).hasSize(messages.length));
    assertThat(most.get()).isBetween(5, 10);
  }

  @Test
  void a_page_in_reserve_is_sent_once_if_the_destination_was_paused_meanwhile() {
    countsWhatOneLaneDoes();
    Message[] messages = backlog();
    startWithAPageInReserve();
    db().pause(SHOP, true);
    answerAll();
    eventually(() -> assertThat(sent()).isEqualTo(MOST));
    db().pause(SHOP, false);
    eventually(() -> assertThat(sent()).isEqualTo(messages.length));
    assertThat(contents(shop)).doesNotHaveDuplicates();
  }

  @Test
  void a_page_in_reserve_is_sent_once_if_its_relay_stopped_meanwhile() {
    countsWhatOneLaneDoes();
    Message[] messages = backlog();
    Relay relay = startWithAPageInReserve();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(relay::close);
    answerAll();
    closed.join();
    start(to(SHOP, shop));
    eventually(() -> assertThat(sent()).isEqualTo(messages.length));
    assertThat(contents(shop)).doesNotHaveDuplicates();
  }

  private Message[] backlog() {
    Message[] messages = new Message[10 * MOST];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = message("m" + i);
    }
    start(to(SHOP, shop)).close();
    commit(messages);
    return messages;
  }

  /** Two pages are in flight, and at least one more has been read. */
  private Relay startWithAPageInReserve() {
    shop.reply(m -> FakeConnector.Reply.late(Outcome.SENT));
    Relay relay =
        start(
            slow(db().anotherStore()),
            builder -> builder.config(RelayConfig.builder().batchSize(MOST).build()),
            to(SHOP, shop));
    eventually(() -> assertThat(read.availablePermits()).isGreaterThanOrEqualTo(2));
    assertThat(shop.waitingForAnswers()).isEqualTo(MOST);
    return relay;
  }

  private void answerAll() {
    shop.reply(m -> FakeConnector.Reply.now(Outcome.SENT));
    shop.answerLate();
  }

  private int sent() {
    return events.stream()
        .filter(Event.Sent.class::isInstance)
        .mapToInt(event -> ((Event.Sent) event).deliveries().size())
        .sum();
  }
}

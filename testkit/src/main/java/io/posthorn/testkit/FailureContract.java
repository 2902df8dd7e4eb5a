package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.observe.Event;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens when a delivery fails. */
public abstract class FailureContract extends RelayTopic {
  private static final Outcome DOWN = Outcome.unavailable(Reason.of("DOWN", "no connection"));
  private static final Outcome BROKEN = Outcome.failed(Reason.of("HTTP_500", "try later"));
  private static final Outcome THROWN = Outcome.failedByMessage(Reason.of("HTTP_409", "later"));
  private static final Outcome BAD = Outcome.rejected(Reason.of("HTTP_422", "no such field"));

  private final FakeConnector shop = FakeConnector.acking();

  @Test
  void a_message_that_fails_once_is_sent_again_and_its_key_keeps_its_order() {
    Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    shop.outcome(m -> is(m, "a1") && failedOnce.add("a1") ? BROKEN : Outcome.SENT);
    start(to(SHOP, shop));
    commit(keyed("a", "a1"), keyed("a", "a2"), keyed("b", "b1"));
    eventually(shop, got -> assertThat(got).contains("a2", "b1"));
    assertThat(contents(shop).stream().filter(c -> c.startsWith("a")))
        .containsExactly("a1", "a1", "a2");
  }

  @Test
  void a_poison_message_delays_its_own_key_and_nothing_else() {
    shop.outcome(m -> is(m, "k7:0") ? BROKEN : Outcome.SENT);
    start(to(SHOP, shop).retry(QUICK.attempts(1_000)));
    commit(many(2_000, 100));
    eventually(
        () ->
            assertThat(contents(shop).stream().filter(c -> !c.startsWith("k7:")).distinct())
                .hasSize(1_980));
    assertThat(contents(shop)).doesNotContain("k7:1");
    shop.outcome(m -> Outcome.SENT);
    eventually(shop, got -> assertThat(got).contains("k7:19"));
    assertThat(contents(shop).stream().filter(c -> c.startsWith("k7:")).distinct())
        .startsWith("k7:0", "k7:1", "k7:2")
        .hasSize(20);
  }

  @Test
  void a_retry_does_not_wait_for_the_end_of_a_backlog() {
    Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    shop.outcome(m -> is(m, "k7:0") && failedOnce.add("k7:0") ? BROKEN : Outcome.SENT);
    start(to(SHOP, shop)).close();
    commit(many(5_000, 500));
    start(
        relay -> relay.config(RelayConfig.builder().batchSize(20).build()),
        to(SHOP, shop).retry(QUICK.backoff(Duration.ofMillis(1), Duration.ofMillis(1))));
    eventually(shop, got -> assertThat(got).hasSize(5_001));
    assertThat(contents(shop).lastIndexOf("k7:0")).isLessThan(2_500);
  }

  @Test
  void a_message_that_the_application_s_own_check_rejects_is_dead_with_its_reason_and_not_sent() {
    Reason why = Reason.of("NO_CUSTOMER", "it names no customer");
    start(
        to(SHOP, shop)
            .reject(
                message -> {
                  if (is(message, "c")) {
                    throw new IllegalStateException("the check itself fails");
                  }
                  return is(message, "b") ? Optional.of(why) : Optional.empty();
                })
            .retry(QUICK.attempts(1)));
    commit(keyed("k", "a"), keyed("k", "b"), keyed("k", "c"), keyed("k", "d"));
    eventually(shop, got -> assertThat(got).containsExactly("a", "d"));
    eventually(
        () ->
            assertThat(db().dead(SHOP))
                .extracting(TestDatabase.Dead::content, TestDatabase.Dead::reason)
                .containsExactly(tuple("b", "NO_CUSTOMER"), tuple("c", "RETRY_EXHAUSTED")));
  }

  @Test
  void a_rejected_message_is_dead_at_once_and_the_rest_of_its_key_goes_on() {
    shop.outcome(m -> is(m, "a1") ? BAD : Outcome.SENT);
    start(to(SHOP, shop));
    commit(keyed("a", "a1"), keyed("a", "a2"));
    eventually(shop, got -> assertThat(got).containsExactly("a1", "a2"));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    assertThat(db().dead(SHOP).get(0).reason()).isEqualTo("HTTP_422");
    assertThat(db().parked(SHOP)).isEmpty();
  }

  @Test
  void a_message_is_dead_after_its_last_attempt_with_every_attempt_on_record() {
    shop.outcome(m -> is(m, "a1") ? BROKEN : Outcome.SENT);
    start(to(SHOP, shop));
    Message poison = keyed("a", "a1");
    commit(poison);
    // Whenever this message fails, another one must show that the destination works.
    eventually(
        () -> {
          commit(message("another"));
          assertThat(db().dead(SHOP)).hasSize(1);
        });
    TestDatabase.Dead dead = db().dead(SHOP).get(0);
    assertThat(dead.reason()).isEqualTo(Reason.RETRY_EXHAUSTED);
    assertThat(dead.lastReason()).isEqualTo("HTTP_500");
    assertThat(dead.attempts()).isEqualTo(3);
    assertThat(db().attempts(SHOP, poison.id()))
        .extracting(TestDatabase.Attempt::number)
        .containsExactly(1, 2, 3);
    MessageStory.DeliveryStory story = find(poison.id()).orElseThrow().deliveries().get(0);
    assertThat(story.state()).isEqualTo(MessageState.DEAD);
    assertThat(story.history()).hasSize(3);
  }

  @Test
  void a_dead_message_holds_its_key_if_the_destination_is_configured_so() {
    shop.outcome(m -> is(m, "a1") ? BAD : Outcome.SENT);
    start(to(SHOP, shop).afterDead(AfterDead.HOLD));
    commit(keyed("a", "a1"), keyed("a", "a2"), keyed("b", "b1"));
    eventually(shop, got -> assertThat(got).contains("b1"));
    commit(keyed("a", "a3"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(2));
    assertThat(contents(shop)).doesNotContain("a2", "a3");
    db().letGo(SHOP, TestMessages.key("a"));
    eventually(shop, got -> assertThat(got).endsWith("a2", "a3"));
  }

  @Test
  void an_outage_uses_up_no_attempt_and_makes_no_message_dead() {
    AtomicBoolean up = new AtomicBoolean();
    shop.outcome(m -> up.get() ? Outcome.SENT : DOWN);
    start(to(SHOP, shop).retry(QUICK.attempts(2)));
    commit(many(500, 50));
    eventually(() -> assertThat(probes()).isGreaterThan(3));
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(db().parked(SHOP)).isEmpty();
    up.set(true);
    eventually(
        () ->
            assertThat(events.stream().filter(e -> e instanceof Event.BreakerClosed)).isNotEmpty());
    eventually(() -> assertThat(contents(shop).stream().distinct().count()).isEqualTo(500));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).isEmpty();
  }

  @Test
  void a_receiver_that_answers_500_to_everything_does_not_kill_the_backlog() {
    AtomicBoolean up = new AtomicBoolean();
    shop.outcome(m -> up.get() ? Outcome.SENT : BROKEN);
    start(to(SHOP, shop).retry(QUICK.attempts(2)).breakerAfter(5));
    commit(many(500, 50));
    eventually(() -> assertThat(probes()).isGreaterThan(8));
    assertThat(db().dead(SHOP)).isEmpty();
    up.set(true);
    eventually(() -> assertThat(contents(shop).stream().distinct().count()).isEqualTo(500));
    assertThat(db().dead(SHOP)).isEmpty();
  }

  @Test
  void a_message_that_makes_the_receiver_hang_up_does_not_stop_the_others_for_ever() {
    shop.outcome(m -> is(m, "poison") ? DOWN : Outcome.SENT);
    start(to(SHOP, shop));
    commit(keyed("p", "poison"), keyed("a", "a1"), keyed("b", "b1"));
    commit(many(50, 50));
    eventually(() -> assertThat(contents(shop).stream().distinct().count()).isEqualTo(53));
    eventually(() -> assertThat(db().parked(SHOP).size() + db().dead(SHOP).size()).isEqualTo(1));
  }

  @Test
  void an_answer_that_never_comes_is_a_failure_and_the_message_is_sent_again() {
    Set<String> once = ConcurrentHashMap.newKeySet();
    shop.reply(
        m ->
            once.add(TestMessages.content(m))
                ? FakeConnector.Reply.never()
                : FakeConnector.Reply.now(Outcome.SENT));
    start(to(SHOP, shop).sendTimeout(Duration.ofMillis(300)));
    commit(message("lost answer"));
    eventually(shop, got -> assertThat(got).containsExactly("lost answer", "lost answer"));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
  }

  /** Otherwise the next message of the key would be sent while this one is still in flight. */
  @Test
  void a_late_answer_is_not_taken_for_the_answer_to_the_next_attempt() {
    AtomicInteger attempts = new AtomicInteger();
    shop.reply(
        m -> {
          int attempt = is(m, "s1") ? attempts.incrementAndGet() : 0;
          if (attempt == 1) {
            return FakeConnector.Reply.late(Outcome.SENT);
          }
          return attempt == 2 ? FakeConnector.Reply.never() : FakeConnector.Reply.now(Outcome.SENT);
        });
    start(to(SHOP, shop).breakerAfter(1).sendTimeout(Duration.ofSeconds(2)));
    commit(keyed("s", "s1"), keyed("s", "s2"));
    eventually(shop, got -> assertThat(got).containsExactly("s1", "s1"));
    shop.answerLate();
    eventually(shop, got -> assertThat(got).containsExactly("s1", "s1", "s1", "s2"));
  }

  @Test
  void an_answer_given_twice_counts_once_and_settles_no_other_message() {
    Set<String> once = ConcurrentHashMap.newKeySet();
    // Of every two keys, one is answered twice, and the other not at all at first.
    shop.reply(
        m ->
            isOdd(m) && once.add(TestMessages.content(m))
                ? FakeConnector.Reply.never()
                : FakeConnector.Reply.twice(Outcome.SENT));
    start(to(SHOP, shop).sendTimeout(Duration.ofMillis(200)).retry(QUICK.attempts(50)));
    commit(many(60, 20));
    eventually(shop, got -> assertThat(got).hasSize(90));
    assertThat(contents(shop).stream().filter(c -> !once.contains(c))).doesNotHaveDuplicates();
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(contents(shop)).hasSize(90);
    assertThat(db().dead(SHOP)).isEmpty();
  }

  private static boolean isOdd(Message message) {
    String content = TestMessages.content(message);
    return Integer.parseInt(content.substring(1, content.indexOf(':'))) % 2 == 1;
  }

  @Test
  void only_acknowledged_messages_are_settled_as_sent() {
    shop.ackSome(42, 0.5);
    start(to(SHOP, shop).sendTimeout(Duration.ofMillis(200)).retry(QUICK.attempts(50)));
    commit(many(100, 100));
    eventually(() -> assertThat(Set.copyOf(contents(shop))).hasSize(100));
    shop.outcome(m -> Outcome.SENT);
    // Each message is sent until it is acknowledged, and not once more.
    eventually(() -> assertThat(shop.acknowledged()).hasSize(100));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(shop.acknowledged().stream().map(TestMessages::content)).doesNotHaveDuplicates();
    assertThat(db().dead(SHOP)).isEmpty();
  }

  @Test
  void a_slow_answer_delays_only_its_own_key() {
    shop.reply(
        m ->
            is(m, "slow")
                ? FakeConnector.Reply.late(Outcome.SENT)
                : FakeConnector.Reply.now(Outcome.SENT));
    start(to(SHOP, shop).sendTimeout(Duration.ofSeconds(5)));
    commit(keyed("s", "slow"), keyed("s", "behind"), keyed("a", "a1"));
    eventually(shop, got -> assertThat(got).contains("a1"));
    commit(keyed("b", "b1"));
    eventually(shop, got -> assertThat(got).contains("b1"));
    assertThat(contents(shop)).doesNotContain("behind");
    shop.answerLate();
    eventually(shop, got -> assertThat(got).endsWith("behind"));
    assertThat(contents(shop)).as("the late answer counted").containsOnlyOnce("slow");
  }

  @Test
  void a_type_whose_code_is_missing_waits_without_an_attempt_until_a_relay_has_it() {
    shop.serving(type -> !type.equals("New"));
    start(to(SHOP, shop));
    commit(TestMessages.typed("New", "n"), message("old"));
    eventually(shop, got -> assertThat(got).containsExactly("old"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    assertThat(db().parked(SHOP).get(0).waiting()).isEqualTo(Waiting.CODE);
    assertThat(db().parked(SHOP).get(0).attempts()).isZero();
    FakeConnector newer = FakeConnector.acking();
    stopRelays();
    db().pass(Duration.ofMinutes(1));
    start(to(SHOP, newer));
    eventually(newer, got -> assertThat(got).containsExactly("n"));
  }

  @Test
  void a_message_that_waits_for_code_is_tried_less_often_the_older_it_is() {
    shop.serving(type -> !type.equals("New"));
    start(to(SHOP, shop));
    commit(TestMessages.typed("New", "n"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    assertThat(db().parked(SHOP).get(0).dueIn()).isLessThanOrEqualTo(Duration.ofSeconds(5));
    db().pass(Duration.ofMinutes(1));
    eventually(
        () ->
            assertThat(db().parked(SHOP).get(0).dueIn())
                .isBetween(Duration.ofSeconds(50), Duration.ofMinutes(2)));
    stopRelays();
    db().pass(Duration.ofDays(1));
    start(to(SHOP, shop));
    eventually(
        () ->
            assertThat(db().parked(SHOP).get(0).dueIn())
                .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5)));
  }

  @Test
  void a_relay_that_takes_a_lane_tries_what_waits_for_code_at_once() {
    shop.serving(type -> !type.equals("New"));
    start(to(SHOP, shop));
    commit(TestMessages.typed("New", "n"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    stopRelays();
    db().pass(Duration.ofDays(1));
    start(to(SHOP, shop));
    eventually(
        () -> assertThat(db().parked(SHOP).get(0).dueIn()).isGreaterThan(Duration.ofMinutes(4)));
    stopRelays();
    FakeConnector newer = FakeConnector.acking();
    start(to(SHOP, newer));
    eventually(newer, got -> assertThat(got).containsExactly("n"));
  }

  @Test
  void a_connector_that_throws_is_a_failure_like_any_other() {
    Set<String> once = ConcurrentHashMap.newKeySet();
    shop.reply(
        m ->
            once.add("thrown")
                ? FakeConnector.Reply.thrown(new IllegalStateException("bug"))
                : FakeConnector.Reply.now(Outcome.SENT));
    start(to(SHOP, shop));
    commit(message("one"));
    eventually(shop, got -> assertThat(got).containsExactly("one", "one"));
  }

  @Test
  void a_message_that_makes_the_connector_throw_harms_no_other() {
    shop.reply(
        m ->
            is(m, "k0:0")
                ? FakeConnector.Reply.thrown(new StackOverflowError("too deep"))
                : FakeConnector.Reply.now(Outcome.SENT));
    start(to(SHOP, shop));
    commit(many(100, 100));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    assertThat(db().dead(SHOP).get(0).reason()).isEqualTo(Reason.RETRY_EXHAUSTED);
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).hasSize(1);
    assertThat(Set.copyOf(contents(shop))).hasSize(100);
  }

  @Test
  void a_message_that_failed_before_is_sent_in_a_call_of_its_own() {
    RetryPolicy twice = QUICK.attempts(2).backoff(Duration.ofSeconds(30), Duration.ofSeconds(30));
    shop.outcome(m -> is(m, "well") ? Outcome.SENT : THROWN);
    start(to(SHOP, shop).retry(twice));
    commit(many(10, 10));
    commit(message("well"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(10));
    eventually(() -> assertThat(db().parked(SHOP)).allMatch(parked -> parked.attempts() == 1));
    stopRelays();
    db().pass(Duration.ofMinutes(2));
    FakeConnector next =
        FakeConnector.acking()
            .reply(
                m ->
                    is(m, "k0:0")
                        ? FakeConnector.Reply.thrown(new IllegalStateException("bug"))
                        : FakeConnector.Reply.now(Outcome.SENT));
    start(to(SHOP, next).retry(twice));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).hasSize(1);
    assertThat(next.calls()).allMatch(call -> call.size() == 1).hasSize(10);
  }

  @Test
  void a_connector_that_throws_when_asked_about_a_type_delays_only_that_type() {
    shop.serving(
        type -> {
          if (type.equals("New")) {
            throw new NoClassDefFoundError("io/example/New");
          }
          return true;
        });
    start(to(SHOP, shop));
    commit(TestMessages.typed("New", "n"), message("old"));
    eventually(shop, got -> assertThat(got).containsExactly("old"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    assertThat(db().parked(SHOP).get(0).waiting()).isEqualTo(Waiting.CODE);
  }

  @Test
  void a_relay_keeps_delivering_if_its_observer_throws() {
    start(
        relay ->
            relay.observer(
                event -> {
                  throw new NoClassDefFoundError("io/example/Metrics");
                }),
        to(SHOP, shop));
    commit(message("one"));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    commit(message("two"));
    eventually(shop, got -> assertThat(got).containsExactly("one", "two"));
  }

  @Test
  void a_message_whose_type_has_no_route_is_dead_after_the_grace_period() {
    start(
        relay ->
            relay.config(
                io.posthorn.core.relay.RelayConfig.builder()
                    .noRouteGrace(Duration.ofMillis(100))
                    .build()),
        only(SHOP, shop, "Wanted"));
    commit(TestMessages.typed("Unwanted", "x"), TestMessages.typed("Wanted", "y"));
    eventually(shop, got -> assertThat(got).containsExactly("y"));
    eventually(() -> assertThat(db().dead("unrouted")).hasSize(1));
    assertThat(db().dead("unrouted").get(0).reason()).isEqualTo(Reason.NO_ROUTE);
  }

  @Test
  void a_lone_message_that_always_fails_dies_after_its_time_limit_if_the_receiver_is_well() {
    shop.outcome(m -> DOWN).finding(() -> List.of(Finding.value("limit", "1")));
    start(to(SHOP, shop));
    commit(message("lone"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    assertThat(db().parked(SHOP).get(0).attempts()).isZero();
    db().pass(Duration.ofHours(25));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    assertThat(db().dead(SHOP).get(0).reason()).isEqualTo(Reason.RETRY_EXHAUSTED);
    assertThat(db().dead(SHOP).get(0).lastReason()).isEqualTo("DOWN");
  }

  @Test
  void a_lone_message_outlives_any_outage_that_a_check_can_see() {
    AtomicBoolean up = new AtomicBoolean();
    Finding down = Finding.problem(Reason.of("DOWN", "no connection"));
    shop.outcome(m -> up.get() ? Outcome.SENT : DOWN).finding(() -> List.of(down));
    start(to(SHOP, shop));
    commit(message("lone"));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(1));
    long before = probes();
    db().pass(Duration.ofDays(3));
    eventually(() -> assertThat(probes()).isGreaterThan(before + 2));
    assertThat(db().dead(SHOP)).isEmpty();
    up.set(true);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).isEmpty();
  }

  private long probes() {
    return events.stream().filter(event -> event instanceof Event.CallFailed).count();
  }

  private static boolean is(Message message, String content) {
    return TestMessages.content(message).equals(content);
  }
}

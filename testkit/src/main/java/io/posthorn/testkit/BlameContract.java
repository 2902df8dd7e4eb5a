package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** That an attempt counts only when the message is at fault, and not its destination. */
public abstract class BlameContract extends RelayTopic {
  private static final Outcome BUSY = Outcome.failed(Reason.of("HTTP_503", "busy"));

  private final FakeConnector shop = FakeConnector.acking();
  private final AtomicBoolean up = new AtomicBoolean();

  /** Each of these may fail a single time, so that an attempt that counts is its end. */
  private Message[] startInAnOutage(int count) {
    shop.outcome(m -> up.get() ? Outcome.SENT : BUSY);
    start(to(SHOP, shop).retry(QUICK.attempts(1)).breakerAfter(5));
    return many(count, count);
  }

  private void comesBack(int count) {
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(db().parked(SHOP)).allMatch(parked -> parked.attempts() == 0);
    up.set(true);
    eventually(() -> assertThat(shop.acknowledged()).hasSize(count));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(events).noneMatch(e -> e instanceof Event.Parked p && p.attempts() > 0);
  }

  private boolean breakerOpened() {
    return events.stream().anyMatch(event -> event instanceof Event.BreakerOpened);
  }

  private long failedCalls() {
    return events.stream().filter(event -> event instanceof Event.CallFailed).count();
  }

  @Test
  void with_a_single_attempt_messages_that_come_one_by_one_outlive_an_outage() {
    for (Message next : startInAnOutage(12)) {
      long before = failedCalls();
      commit(next);
      // Once the breaker is open, a call that shows nothing new may be seconds away.
      eventually(() -> assertThat(failedCalls() > before || breakerOpened()).isTrue());
    }
    comesBack(12);
  }

  @Test
  void with_a_single_attempt_a_backlog_outlives_an_outage() {
    commit(startInAnOutage(300));
    eventually(() -> assertThat(failedCalls()).isGreaterThan(12));
    comesBack(300);
  }

  @Test
  void fewer_messages_than_open_the_breaker_outlive_an_outage_too() {
    commit(startInAnOutage(3));
    eventually(() -> assertThat(failedCalls()).isGreaterThan(12));
    comesBack(3);
  }

  @Test
  void a_success_that_was_under_way_when_an_outage_began_blames_nobody() {
    shop.reply(
        m ->
            TestMessages.content(m).equals("slow")
                ? FakeConnector.Reply.late(Outcome.SENT)
                : FakeConnector.Reply.now(up.get() ? Outcome.SENT : BUSY));
    start(to(SHOP, shop).retry(QUICK.attempts(1)));
    commit(message("slow"));
    eventually(() -> assertThat(shop.waitingForAnswers()).isEqualTo(1));
    commit(keyed("a", "a1"), keyed("b", "b1"));
    eventually(() -> assertThat(failedCalls()).isGreaterThan(1));
    shop.answerLate();
    eventually(() -> assertThat(failedCalls()).isGreaterThan(4));
    assertThat(db().dead(SHOP)).isEmpty();
    up.set(true);
    eventually(() -> assertThat(shop.acknowledged()).hasSize(2));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(db().dead(SHOP)).isEmpty();
  }

  @Test
  void a_message_that_always_fails_is_dead_soon_while_others_are_sent() {
    shop.outcome(m -> TestMessages.content(m).equals("poison") ? BUSY : Outcome.SENT);
    start(to(SHOP, shop).retry(QUICK.backoff(Duration.ofMillis(5), Duration.ofMillis(50))));
    commit(keyed("p", "poison"), keyed("p", "behind"));
    AtomicInteger others = new AtomicInteger();
    eventually(
        () -> {
          commit(message("other " + others.incrementAndGet()));
          assertThat(db().dead(SHOP)).hasSize(1);
        });
    assertThat(db().dead(SHOP).get(0).attempts()).isEqualTo(3);
    eventually(shop, got -> assertThat(got).contains("behind"));
  }
}

package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message that may not be sent after a certain time is dead then, unless it was sent before. */
public abstract class ExpiryContract extends RelayTopic {
  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeConnector shop = FakeConnector.acking();

  @Test
  void a_message_that_waited_too_long_in_the_log_is_dead_without_an_attempt() {
    start(to(SHOP, shop)).close();
    commit(keyed("a", "a1"));
    db().pass(HOUR.plusMinutes(1));
    commit(keyed("a", "a2"));
    start(to(SHOP, shop).notAfter(HOUR));
    eventually(shop, got -> assertThat(got).containsExactly("a2"));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    TestDatabase.Dead dead = db().dead(SHOP).get(0);
    assertThat(dead.reason()).isEqualTo(Reason.EXPIRED);
    assertThat(dead.attempts()).isZero();
    assertThat(db().attempts(SHOP, dead.messageId())).isEmpty();
  }

  @Test
  void a_parked_message_that_waits_too_long_for_its_next_attempt_is_dead() {
    shop.outcome(m -> Outcome.failedByMessage(Reason.of("HTTP_500", "later")));
    start(to(SHOP, shop).notAfter(TestMessages.TYPE, HOUR).retry(QUICK.attempts(1_000_000)));
    commit(message("1"));
    eventually(() -> assertThat(db().parked(SHOP)).anyMatch(p -> p.attempts() > 1));
    db().pass(HOUR.plusMinutes(1));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    assertThat(db().dead(SHOP).get(0).reason()).isEqualTo(Reason.EXPIRED);
    assertThat(db().dead(SHOP).get(0).attempts()).isGreaterThan(1);
    assertThat(db().parked(SHOP)).isEmpty();
  }

  @Test
  void a_person_can_still_requeue_an_expired_message() {
    start(to(SHOP, shop)).close();
    commit(message("1"));
    db().pass(HOUR.plusMinutes(1));
    start(to(SHOP, shop).notAfter(HOUR));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    assertThat(contents(shop)).isEmpty();
    db().operator()
        .requeue(
            List.of(db().dead(SHOP).get(0).id()), Requeue.SAME, new Actor("anna", "all the same"));
    eventually(shop, got -> assertThat(got).containsExactly("1"));
  }

  @Test
  void an_old_message_that_is_sent_again_does_not_expire_at_once() {
    start(to(SHOP, shop)).close();
    commit(message("1"));
    start(to(SHOP, shop).notAfter(HOUR));
    eventually(shop, got -> assertThat(got).containsExactly("1"));
    db().pass(HOUR.plusMinutes(1));
    Operations.on(db().operator())
        .start(Plan.resend(SentQuery.to(SHOP)), new Actor("anna", "the shop lost its data"));
    eventually(shop, got -> assertThat(got).containsExactly("1", "1"));
  }

  @Test
  void many_expired_messages_do_not_delay_the_others() {
    start(to(SHOP, shop)).close();
    commit(many(3_000, 300));
    db().pass(HOUR.plusMinutes(1));
    commit(keyed("k1", "now"));
    start(to(SHOP, shop).notAfter(HOUR));
    eventually(shop, got -> assertThat(got).containsExactly("now"));
    eventually(() -> assertThat(db().dead(SHOP).size()).isEqualTo(3_000));
  }
}

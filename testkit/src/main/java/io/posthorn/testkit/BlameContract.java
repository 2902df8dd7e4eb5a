package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** An attempt counts only when the message is at fault, and not its destination. */
public abstract class BlameContract extends RelayTopic {
  private static final Outcome BUSY = Outcome.failed(Reason.of("HTTP_503", "busy"));

  private final FakeConnector shop = FakeConnector.acking();
  private final AtomicBoolean up = new AtomicBoolean();

  /** Each of these messages has a single attempt, so one attempt that counts makes it dead. */
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
  void messages_with_a_single_attempt_that_come_one_by_one_outlive_an_outage() {
    for (Message next : startInAnOutage(12)) {
      long before = failedCalls();
      commit(next);
      // Once the breaker is open, a call that shows nothing new may be seconds away.
      eventually(() -> assertThat(failedCalls() > before || breakerOpened()).isTrue());
    }
    comesBack(12);
  }

  @Test
  void a_backlog_with_a_single_attempt_outlives_an_outage() {
    commit(startInAnOutage(300));
    eventually(() -> assertThat(failedCalls()).isGreaterThan(12));
    comesBack(300);
  }

  @Test
  void fewer_messages_than_open_the_breaker_outlive_an_outage() {
    commit(startInAnOutage(3));
    eventually(() -> assertThat(failedCalls()).isGreaterThan(12));
    comesBack(3);
  }

  /** What clients throw while a receiver hangs, hangs up, or its database is away. */
  private static final List<Throwable> THROWN =
      List.of(
          new HttpTimeoutException("request timed out"),
          new IOException("HTTP/1.1 header parser received no bytes"),
          new UncheckedIOException(new ClosedChannelException()),
          new SSLHandshakeException("Remote host terminated the handshake"),
          new SQLTransientConnectionException("connection is not available"),
          new SQLRecoverableException("closed connection"),
          new IllegalStateException(new SQLException("terminating connection", "57P01")),
          new SQLException("too many clients", "53300"),
          new SQLException("the connection attempt failed", "08001"));

  private void throwInAnOutage() {
    AtomicInteger next = new AtomicInteger();
    shop.reply(
        m ->
            up.get()
                ? FakeConnector.Reply.now(Outcome.SENT)
                : FakeConnector.Reply.thrown(THROWN.get(next.getAndIncrement() % THROWN.size())));
    start(to(SHOP, shop).retry(QUICK.attempts(1)));
  }

  @Test
  void messages_with_a_single_attempt_outlive_an_outage_that_shows_as_exceptions() {
    throwInAnOutage();
    for (Message next : many(19, 19)) {
      long before = failedCalls();
      commit(next);
      eventually(() -> assertThat(failedCalls()).isGreaterThan(before));
    }
    comesBack(19);
  }

  @Test
  void encrypted_messages_with_a_single_attempt_outlive_an_outage_of_the_key_service() {
    PayloadCipher cipher =
        new PayloadCipher() {
          @Override
          public String keyId(Message message) {
            return "k1";
          }

          @Override
          public byte[] encrypt(Message message, String keyId) {
            return message.payload();
          }

          @Override
          public byte[] decrypt(Message message, String keyId) {
            if (!up.get()) {
              throw new UncheckedIOException(new IOException("connection reset"));
            }
            return message.payload();
          }
        };
    start(relay -> relay.cipher(cipher), to(SHOP, shop).retry(QUICK.attempts(1)));
    for (Message next : many(10, 10)) {
      long before = failedCalls();
      try (OpenTransaction tx = begin()) {
        store().append(tx.connection(), List.of(next), List.of("k1"), false);
        tx.commit();
      }
      eventually(() -> assertThat(failedCalls()).isGreaterThan(before));
    }
    comesBack(10);
  }

  @Test
  void a_message_that_makes_the_connector_throw_dies_soon_while_others_are_sent() {
    shop.reply(
        m ->
            TestMessages.content(m).equals("poison")
                ? FakeConnector.Reply.thrown(new IOException("connection reset"))
                : FakeConnector.Reply.now(Outcome.SENT));
    onlyPoisonDies();
  }

  @Test
  void a_success_under_way_when_an_outage_began_makes_no_other_message_dead() {
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
  void a_message_that_always_fails_dies_soon_while_others_are_sent() {
    shop.outcome(m -> TestMessages.content(m).equals("poison") ? BUSY : Outcome.SENT);
    onlyPoisonDies();
  }

  private void onlyPoisonDies() {
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

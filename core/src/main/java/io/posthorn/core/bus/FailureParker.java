package io.posthorn.core.bus;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Waiting;
import io.posthorn.core.trace.LogFields;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Parks or buries a message that a handler could not handle, in a transaction of its own. */
final class FailureParker {
  private static final Logger LOG = LoggerFactory.getLogger(FailureParker.class);
  private static final int REPEATS = 10;
  private static final long LOG_EVERY = Duration.ofMinutes(1).toNanos();

  private final InboxStore inbox;
  private final Consumer consumer;
  private final HandlerTransaction transaction;
  private final RetryPolicy retry;
  private final Observer observer;
  private final Random random = new Random();
  private volatile @Nullable Long loggedAt;

  FailureParker(
      InboxStore inbox,
      Consumer consumer,
      HandlerTransaction transaction,
      RetryPolicy retry,
      Observer observer) {
    this.inbox = inbox;
    this.consumer = consumer;
    this.transaction = transaction;
    this.retry = retry;
    this.observer = observer;
  }

  /**
   * Parks the message, or makes it a dead letter if the outcome is final. Returns why that failed;
   * null if it succeeded.
   */
  @Nullable TransactionFailure parkOrBury(Received received, Outcome outcome) {
    Reason reason = outcome.reason();
    if (reason == null) {
      // A rule of the application decided that this exception is not a failure.
      return null;
    }
    boolean dead = outcome instanceof Outcome.Rejected;
    int attempts = attempts(outcome);
    if (!dead && attempts > 0 && retry.exhausted(attempts, Duration.ZERO)) {
      dead = true;
      reason = new Reason(Reason.RETRY_EXHAUSTED, reason.text(), reason.stack());
    }
    TransactionFailure failure =
        dead ? bury(received, reason) : park(received, reason, outcome, attempts);
    return failure == null || failure.kind() != TransactionFailure.Kind.HANDLER
        ? failure
        : buryWithoutText(received, failure);
  }

  /**
   * Returns how many attempts count. The attempt counts only if the message is at fault. If what
   * the handler calls may be unavailable, the relay that retries the message finds out.
   */
  private static int attempts(Outcome outcome) {
    return outcome instanceof Outcome.Failed failed && failed.byMessage() ? 1 : 0;
  }

  /**
   * Buries a message that the database refuses and would always refuse: without the text of the
   * failure, and with its names made valid.
   */
  private @Nullable TransactionFailure buryWithoutText(
      Received received, TransactionFailure refusal) {
    LOG.atLevel(wasJustLogged() ? Level.DEBUG : Level.WARN)
        .addKeyValue(LogFields.CONSUMER, consumer.name())
        .log(
            "The database refuses to record a failure, so the dead letter has fewer details: {}: {}",
            LogFields.text(received.message(), consumer.name()),
            Sanitiser.text(refusal.reason()));
    TransactionFailure failure =
        bury(
            Storable.madeGood(received),
            Reason.of(
                Reason.STORE_REFUSED,
                "the database refused to store the result of this message; the consumer's log has the failure and the refusal"));
    if (failure != null && failure.kind() == TransactionFailure.Kind.HANDLER) {
      stuck(received, failure);
    }
    return failure;
  }

  private boolean wasJustLogged() {
    Long logged = loggedAt;
    return logged != null && System.nanoTime() - logged < LOG_EVERY;
  }

  /** Reports the message once a minute, although it is retried more often. */
  private void stuck(Received received, TransactionFailure failure) {
    if (wasJustLogged()) {
      return;
    }
    loggedAt = System.nanoTime();
    LOG.atLevel(Level.ERROR)
        .addKeyValue(LogFields.CONSUMER, consumer.name())
        .log(
            "The database refuses a message for good, and the messages behind it wait until a person fixes the cause: {}: {}",
            LogFields.text(received.message(), consumer.name()),
            Sanitiser.text(failure.reason()));
    observer.on(
        new Event.SubscriptionFailed(
            consumer.name(), Reason.of(Reason.STORE_REFUSED, failure.reason())));
  }

  private @Nullable TransactionFailure bury(Received received, Reason reason) {
    return commit(tx -> inbox.bury(tx, consumer, received, reason), () -> {});
  }

  private @Nullable TransactionFailure park(
      Received received, Reason reason, Outcome outcome, int attempts) {
    Duration backoff = retry.pauseAfter(1, random);
    Duration asked = outcome instanceof Outcome.Failed failed ? failed.retryAfter() : Duration.ZERO;
    Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
    Event parked =
        new Event.Parked(
            consumer.name(), delivery(received, 0), Waiting.RETRY, attempts, delay, reason);
    return commit(
        tx -> inbox.park(tx, consumer, received, reason, delay, attempts),
        () -> observer.on(parked));
  }

  private interface Writing {
    InboxResult run(Connection tx);
  }

  private @Nullable TransactionFailure commit(Writing writing, Runnable parked) {
    for (int repeat = 1; ; repeat++) {
      try {
        InboxResult taken = transaction.run(writing::run);
        taken.deaths().forEach(death -> observer.on(dead(consumer.name(), death, 1)));
        if (taken.verdicts().contains(InboxVerdict.PARKED)) {
          parked.run();
        }
        return null;
      } catch (TransactionFailure failure) {
        if (failure.kind() != TransactionFailure.Kind.CONFLICT || repeat == REPEATS) {
          return failure;
        }
      }
    }
  }

  static Event dead(String consumer, Death death, int attempts) {
    Reason reason = death.reason();
    return new Event.Dead(consumer, delivery(death.message(), attempts), reason.code(), reason);
  }

  /** The message as observers get it. */
  static Delivery delivery(Received received, int attempts) {
    return new Delivery(received.message(), 0, Instant.now(), attempts, Duration.ZERO, false, null);
  }
}

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

/** Parks or buries what a handler could not do, in a transaction of its own. */
final class FailureParker {
  private static final Logger LOG = LoggerFactory.getLogger(FailureParker.class);
  private static final int REPEATS = 10;
  private static final long TELL_EVERY = Duration.ofMinutes(1).toNanos();

  private final InboxStore inbox;
  private final Consumer consumer;
  private final HandlerTransaction transaction;
  private final RetryPolicy retry;
  private final Observer observer;
  private final Random random = new Random();
  private volatile @Nullable Long toldAt;

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

  /** Returns why it could not be done; null if it is. */
  @Nullable TransactionFailure putAway(Received received, Outcome outcome) {
    Reason reason = outcome.reason();
    if (reason == null) {
      // A rule of the application says that this failure is none.
      return null;
    }
    boolean dead = outcome instanceof Outcome.Rejected;
    if (!dead && retry.exhausted(1, Duration.ZERO)) {
      dead = true;
      reason = new Reason(Reason.RETRY_EXHAUSTED, reason.text(), reason.stack());
    }
    TransactionFailure trouble = dead ? bury(received, reason) : park(received, reason, outcome);
    return trouble == null || trouble.kind() != TransactionFailure.Kind.HANDLER
        ? trouble
        : buryWithout(received, trouble);
  }

  /**
   * The database refuses it as it is, and would for ever: without the text of the failure, and with
   * its names made good, it is a dead letter.
   */
  private @Nullable TransactionFailure buryWithout(Received received, TransactionFailure refusal) {
    LOG.atLevel(isTold() ? Level.DEBUG : Level.WARN)
        .addKeyValue(LogFields.CONSUMER, consumer.name())
        .log(
            "Consumer '{}': the database refuses what is to be noted of message {}, so less of it is noted: {}",
            consumer.name(),
            received.message().id(),
            Sanitiser.text(refusal.reason()));
    TransactionFailure trouble =
        bury(
            Storable.madeGood(received),
            Reason.of(
                Reason.STORE_REFUSED,
                "the database refused to store what came of this message; the log of the consumer has both answers"));
    if (trouble != null && trouble.kind() == TransactionFailure.Kind.HANDLER) {
      stuck(received, trouble);
    }
    return trouble;
  }

  private boolean isTold() {
    Long told = toldAt;
    return told != null && System.nanoTime() - told < TELL_EVERY;
  }

  /** Told once a minute, though it is tried more often. */
  private void stuck(Received received, TransactionFailure trouble) {
    if (isTold()) {
      return;
    }
    toldAt = System.nanoTime();
    LOG.atLevel(Level.ERROR)
        .addKeyValue(LogFields.CONSUMER, consumer.name())
        .log(
            "Consumer '{}': the database refuses message {} for good, and those behind it wait until somebody has seen to it: {}",
            consumer.name(),
            received.message().id(),
            Sanitiser.text(trouble.reason()));
    observer.on(
        new Event.SubscriptionFailed(
            consumer.name(), Reason.of(Reason.STORE_REFUSED, trouble.reason())));
  }

  private @Nullable TransactionFailure bury(Received received, Reason reason) {
    return commit(tx -> inbox.bury(tx, consumer, received, reason), () -> {});
  }

  private @Nullable TransactionFailure park(Received received, Reason reason, Outcome outcome) {
    Duration backoff = retry.pauseAfter(1, random);
    Duration asked = outcome instanceof Outcome.Failed failed ? failed.retryAfter() : Duration.ZERO;
    Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
    Event parked =
        new Event.Parked(consumer.name(), delivery(received, 0), Waiting.RETRY, 1, delay, reason);
    return commit(
        tx -> inbox.park(tx, consumer, received, reason, delay), () -> observer.on(parked));
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
      } catch (TransactionFailure trouble) {
        if (trouble.kind() != TransactionFailure.Kind.CONFLICT || repeat == REPEATS) {
          return trouble;
        }
      }
    }
  }

  static Event dead(String consumer, Death death, int attempts) {
    Reason reason = death.reason();
    return new Event.Dead(consumer, delivery(death.message(), attempts), reason.code(), reason);
  }

  /** For observers. */
  static Delivery delivery(Received received, int attempts) {
    return new Delivery(received.message(), 0, Instant.now(), attempts, Duration.ZERO, false, null);
  }
}

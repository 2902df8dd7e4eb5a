package io.posthorn.core.bus;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Waiting;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Parks or buries what a handler could not do, in a transaction of its own. */
final class PutAway {
  private static final int REPEATS = 10;

  private final InboxStore inbox;
  private final Consumer consumer;
  private final HandlerTransaction transaction;
  private final RetryPolicy retry;
  private final Observer observer;
  private final Random random = new Random();

  PutAway(
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
  @Nullable Trouble putAway(Received received, Outcome outcome) {
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
    return dead ? bury(received, reason) : park(received, reason, outcome);
  }

  private @Nullable Trouble bury(Received received, Reason reason) {
    Trouble trouble = commit(tx -> inbox.bury(tx, consumer, received, reason));
    if (trouble == null) {
      observer.on(new Event.Dead(consumer.name(), delivery(received, 1), reason.code(), reason));
    }
    return trouble;
  }

  private @Nullable Trouble park(Received received, Reason reason, Outcome outcome) {
    Duration backoff = retry.pauseAfter(1, random);
    Duration asked = outcome instanceof Outcome.Failed failed ? failed.retryAfter() : Duration.ZERO;
    Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
    Trouble trouble = commit(tx -> inbox.park(tx, consumer, received, reason, delay));
    if (trouble == null) {
      observer.on(
          new Event.Parked(
              consumer.name(), delivery(received, 0), Waiting.RETRY, 1, delay, reason));
    }
    return trouble;
  }

  private interface Writing {
    void run(Connection tx);
  }

  private @Nullable Trouble commit(Writing writing) {
    for (int repeat = 1; ; repeat++) {
      try {
        transaction.run(
            tx -> {
              writing.run(tx);
              return true;
            });
        return null;
      } catch (Trouble trouble) {
        if (trouble.kind() != Trouble.Kind.CONFLICT || repeat == REPEATS) {
          return trouble;
        }
      }
    }
  }

  /** For observers. */
  static Delivery delivery(Received received, int attempts) {
    return new Delivery(received.message(), 0, Instant.now(), attempts, Duration.ZERO, false, null);
  }
}

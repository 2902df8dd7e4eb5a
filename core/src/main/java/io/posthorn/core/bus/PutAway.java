package io.posthorn.core.bus;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.inbox.Taken;
import io.posthorn.core.inbox.Verdict;
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
    return commit(tx -> inbox.bury(tx, consumer, received, reason), () -> {});
  }

  private @Nullable Trouble park(Received received, Reason reason, Outcome outcome) {
    Duration backoff = retry.pauseAfter(1, random);
    Duration asked = outcome instanceof Outcome.Failed failed ? failed.retryAfter() : Duration.ZERO;
    Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
    Event parked =
        new Event.Parked(consumer.name(), delivery(received, 0), Waiting.RETRY, 1, delay, reason);
    return commit(
        tx -> inbox.park(tx, consumer, received, reason, delay), () -> observer.on(parked));
  }

  private interface Writing {
    Taken run(Connection tx);
  }

  private @Nullable Trouble commit(Writing writing, Runnable parked) {
    for (int repeat = 1; ; repeat++) {
      try {
        Taken taken = transaction.run(writing::run);
        taken.deaths().forEach(death -> observer.on(dead(consumer.name(), death, 1)));
        if (taken.verdicts().contains(Verdict.PARKED)) {
          parked.run();
        }
        return null;
      } catch (Trouble trouble) {
        if (trouble.kind() != Trouble.Kind.CONFLICT || repeat == REPEATS) {
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

package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one thread of a subscription does with the messages in hand. Each message is handled, parked
 * or made a dead letter; then that is committed; then the message is acknowledged.
 */
final class SourceWork implements Batches.Results {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

  /** How long a message is kept in hand while its handler is "unavailable"; then it is parked. */
  private static final long PATIENCE = Duration.ofMinutes(1).toNanos();

  /** How often a feed must show the broker that it is alive. */
  private static final long KEEP_EVERY = Duration.ofSeconds(5).toNanos();

  private final String consumer;
  private final Batches batches;
  private final Batches.Receipts receipts;
  private final FailureParker parker;
  private final Handlers handlers;
  private final Classifier classifier;
  private final int tries;
  private final Observer observer;
  private final Runnable stored;
  private final boolean durable;
  private final HandlerFailures failures;

  private final Feed feed;
  private int done;
  private @Nullable Throwable why;
  private @Nullable UUID unavailable;
  private long unavailableSince;
  private long keptAt;
  private List<Received> inHand = List.of();

  SourceWork(Parts parts, Feed feed) {
    this.consumer = parts.consumer();
    this.batches = parts.batches();
    this.receipts = parts.receipts();
    this.parker = parts.parker();
    this.handlers = parts.handlers();
    this.classifier = parts.classifier();
    this.tries = parts.tries();
    this.observer = parts.observer();
    this.stored = parts.stored();
    this.durable = parts.durable();
    this.feed = feed;
    this.failures = parts.failures();
  }

  /** The parts of the work, the same for all threads of a subscription. */
  record Parts(
      String consumer,
      Batches batches,
      Batches.Receipts receipts,
      FailureParker parker,
      Handlers handlers,
      Classifier classifier,
      int tries,
      Observer observer,
      HandlerFailures failures,
      Runnable stored,
      boolean durable) {}

  /**
   * Returns the messages left in hand. If the database is the reason, {@link #why} has the cause.
   */
  List<Received> work(List<Received> hand) throws InterruptedException {
    done = 0;
    why = null;
    inHand = hand;
    keptAt = System.nanoTime();
    batches.run(hand, index -> 1, receipts, this);
    return inHand.subList(done, inHand.size());
  }

  @Nullable Throwable why() {
    return why;
  }

  @Override
  public boolean done(int index, List<Received> group, List<InboxVerdict> verdicts) {
    int paused = verdicts.indexOf(InboxVerdict.PAUSED);
    List<Received> settled = paused < 0 ? group : group.subList(0, paused);
    acknowledge(settled);
    tell(settled, verdicts);
    return paused < 0;
  }

  @Override
  public void stopped(int index, Throwable because) {
    why = because;
  }

  @Override
  public boolean failed(int index, Received received, TransactionFailure because)
      throws InterruptedException {
    TransactionFailure failure = because;
    Outcome outcome = because.outcome(classifier);
    boolean first = true;
    Duration pause = FIRST_PAUSE;
    for (int tried = 1; tried < tries && outcome instanceof Outcome.Failed; tried++) {
      reportFailure(received, first, failure, outcome);
      Thread.sleep(pause.toMillis());
      pause = pause.multipliedBy(2);
      List<InboxVerdict> verdicts = new ArrayList<>();
      TransactionFailure again = batches.attempt(List.of(received), i -> 1, receipts, verdicts);
      if (again == null) {
        return done(index, List.of(received), verdicts) && stillMine(index);
      }
      if (again.kind() == TransactionFailure.Kind.DATABASE) {
        why = again.reason();
        return false;
      }
      failure = again;
      outcome = again.outcome(classifier);
      first = false;
    }
    reportFailure(received, first, failure, outcome);
    if (outcome instanceof Outcome.Unavailable && isPatient(received)) {
      return false;
    }
    TransactionFailure notParked = parker.parkOrBury(received, outcome);
    if (notParked != null) {
      why = notParked.reason();
      return false;
    }
    acknowledge(List.of(received));
    return stillMine(index);
  }

  private boolean isPatient(Received received) {
    long now = System.nanoTime();
    if (!received.message().id().equals(unavailable)) {
      unavailable = received.message().id();
      unavailableSince = now;
    }
    return now - unavailableSince < PATIENCE;
  }

  private void acknowledge(List<Received> settled) {
    if (!settled.isEmpty()) {
      feed.acknowledge(settled);
      done += settled.size();
    }
  }

  /** Failures take time: false if the broker has given the remaining messages to another feed. */
  private boolean stillMine(int index) throws InterruptedException {
    List<Received> rest = inHand.subList(index + 1, inHand.size());
    if (rest.isEmpty() || System.nanoTime() - keptAt < KEEP_EVERY) {
      return true;
    }
    keptAt = System.nanoTime();
    List<Received> mine = feed.keep(rest, Duration.ZERO);
    if (mine.size() == rest.size()) {
      return true;
    }
    inHand = mine;
    done = 0;
    return false;
  }

  private void tell(List<Received> settled, List<InboxVerdict> verdicts) {
    List<Message> kept = new ArrayList<>();
    for (int i = 0; i < settled.size(); i++) {
      Message message = settled.get(i).message();
      if (handlers.has(message.type())) {
        if (verdicts.get(i) == InboxVerdict.PARKED) {
          Optional<String> version =
              handlers.versionProblem(message.type(), message.schemaVersion());
          if (version.isPresent()) {
            tellUnread(settled.get(i), version.get());
          } else {
            kept.add(message);
          }
        }
      } else if (!handlers.ignores(message.type())) {
        observer.on(new Event.UnknownType(consumer, message));
      }
    }
    if (durable && !kept.isEmpty()) {
      stored.run();
      observer.on(new Event.Stored(consumer, kept));
    }
  }

  private void tellUnread(Received received, String why) {
    observer.on(
        new Event.Parked(
            consumer,
            FailureParker.delivery(received, 0),
            Waiting.CODE,
            0,
            Duration.ZERO,
            Reason.of(Reason.UNSERVED, why)));
  }

  private void reportFailure(
      Received received, boolean first, TransactionFailure failure, Outcome outcome) {
    failures.report(received.message(), 1, first, failure.reason(), outcome);
    Reason reason = outcome.reason();
    if (reason != null) {
      observer.on(new Event.CallFailed(consumer, FailureParker.delivery(received, 0), reason));
    }
  }
}

package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.HandlerThreads;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * The handlers of a consumer, as a relay sees them. The relay hands over messages from the log of
 * this database, stored messages, and messages that failed before.
 *
 * <p>A handler that runs longer than the send timeout counts as failed, and its message is retried.
 * The two calls never run at the same time: the first one locks the receipt as long as it runs.
 */
final class HandlerConnector implements Connector {
  /** The sender of the messages in this database's own log. */
  static final String OWN_LOG = "outbox";

  private static final Outcome ID_REUSED =
      Outcome.rejected(
          Reason.of(
              Reason.ID_REUSED,
              "another message of this sender with the same id and another payload was already handled. If both are intended, requeue this one under a new id"));

  private final Handlers handlers;
  private final Batches batches;
  private final Batches.Receipts receipts;
  private final Classifier classifier;
  private final TransactionSize transactionSize;
  private final int threads;
  private final Duration timeout;
  private final HandlerThreads pool;
  private final HandlerFailures failures;

  HandlerConnector(
      String consumer,
      Handlers handlers,
      Batches batches,
      Batches.Receipts receipts,
      Classifier classifier,
      TransactionSize transactionSize,
      int threads,
      ThreadFactory factory,
      Duration timeout,
      HandlerFailures failures) {
    this.failures = failures;
    this.handlers = handlers;
    this.batches = batches;
    this.receipts = receipts;
    this.classifier = classifier;
    this.transactionSize = transactionSize;
    this.threads = threads;
    this.timeout = timeout;
    this.pool = new HandlerThreads("posthorn-" + consumer + "-handler", threads, factory);
  }

  @Override
  public boolean serves(String type) {
    return handlers.has(type) || handlers.ignores(type);
  }

  @Override
  public Optional<String> versionProblem(String type, int schemaVersion) {
    return handlers.versionProblem(type, schemaVersion);
  }

  /** As many as will be handled soon: the timeout also runs while a message waits for a thread. */
  @Override
  public int maxInFlight() {
    return threads * transactionSize.size();
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    send(messages, Collections.nCopies(messages.size(), 1), answers);
  }

  @Override
  public void send(List<Message> messages, List<Integer> attempts, Answers answers) {
    long sentAt = System.nanoTime();
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (handlers.ignores(messages.get(i).type())) {
        answers.answer(i, Outcome.SENT);
      } else {
        Received received = Received.handedOver(messages.get(i), OWN_LOG);
        tasks.add(new Task(received, attempts.get(i), i, sentAt));
      }
    }
    // No two messages of a call have the same key, so split them evenly over all threads.
    int share =
        Math.max(1, Math.min(transactionSize.size(), (tasks.size() + threads - 1) / threads));
    for (int from = 0; from < tasks.size(); from += share) {
      List<Task> part = tasks.subList(from, Math.min(tasks.size(), from + share));
      if (!pool.run(() -> run(part, answers))) {
        part.forEach(task -> answers.answer(task.index, HandlerThreads.CLOSED));
      }
    }
  }

  private record Task(Received received, int attempt, int index, long sentAt) {}

  /** Whether the send timeout has passed: the relay has given up, and will hand them over again. */
  private boolean tooLate(List<Task> part) {
    return System.nanoTime() - part.get(0).sentAt >= timeout.toNanos();
  }

  private void run(List<Task> part, Answers answers) {
    if (tooLate(part)) {
      return;
    }
    try {
      batches.run(
          part.stream().map(Task::received).toList(),
          i -> part.get(i).attempt,
          receipts,
          new Answering(part, answers));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      unavailable(part, Reason.UNSERVED, "the handlers are being closed", answers);
    } catch (Throwable e) {
      unavailable(part, Reason.UNKNOWN, Sanitiser.clean(e).toString(), answers);
    }
  }

  private static Outcome outcome(InboxVerdict verdict) {
    return switch (verdict) {
      case NEW, OUT_OF_ORDER, DUPLICATE -> Outcome.SENT;
      case SKIPPED_STALE -> Outcome.STALE;
      case DEAD -> ID_REUSED;
      case PARKED, PAUSED ->
          Outcome.unavailable(
              Reason.of(
                  Reason.UNSERVED,
                  "the consumer is paused, or earlier messages of the key are waiting"));
    };
  }

  /** Answers the relay, which ignores a second answer to the same message. */
  private final class Answering implements Batches.Results {
    private final List<Task> part;
    private final Answers answers;

    Answering(List<Task> part, Answers answers) {
      this.part = part;
      this.answers = answers;
    }

    @Override
    public boolean done(int index, List<Received> group, List<InboxVerdict> verdicts) {
      for (int i = 0; i < group.size(); i++) {
        answers.answer(part.get(index + i).index, outcome(verdicts.get(i)));
      }
      return !tooLate(part);
    }

    @Override
    public boolean failed(int index, Received message, TransactionFailure why) {
      Task task = part.get(index);
      Outcome outcome = why.outcome(classifier);
      answers.answer(task.index, outcome);
      failures.report(message.message(), task.attempt, true, why.reason(), outcome);
      return !tooLate(part);
    }

    @Override
    public void stopped(int index, Throwable why) {
      unavailable(
          part.subList(index, part.size()),
          Reason.UNREACHABLE,
          "the database of the handlers failed: " + Sanitiser.text(why),
          answers);
    }
  }

  private static void unavailable(List<Task> part, String code, String why, Answers answers) {
    Outcome outcome = Outcome.unavailable(Reason.of(code, why));
    part.forEach(task -> answers.answer(task.index, outcome));
  }

  @Override
  public List<Finding> check() {
    return HandlerThreads.check();
  }

  /** Accepts no more messages. Handlers that are running may finish. */
  @Override
  public void close() {
    pool.close();
  }

  /** Waits for running handlers to finish, and then interrupts those that have not. */
  void awaitEnd(Duration most) throws InterruptedException {
    pool.awaitEnd(most);
  }
}

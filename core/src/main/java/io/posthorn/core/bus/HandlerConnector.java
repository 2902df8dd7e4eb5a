package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The handlers of a consumer, as a relay sees them: it hands over what comes from the log of this
 * database, what was stored, and what failed before.
 *
 * <p>A handler that outlives the send timeout counts as failed and is tried again, but not beside
 * itself: its receipt is locked as long as it runs.
 */
final class HandlerConnector implements Connector {
  /** The sender of what this database's own log holds. */
  static final String OWN_LOG = "outbox";

  private static final Outcome ID_REUSED =
      Outcome.rejected(
          Reason.of(
              Reason.ID_REUSED,
              "another message of this sender has this id, and another payload, and was handled. If both are meant, requeue this one under a new id"));

  private final Handlers handlers;
  private final Batches batches;
  private final Batches.Receipts receipts;
  private final Classifier classifier;
  private final TransactionSize pace;
  private final int threads;
  private final Duration timeout;
  private final ExecutorService pool;

  HandlerConnector(
      String consumer,
      Handlers handlers,
      Batches batches,
      Batches.Receipts receipts,
      Classifier classifier,
      TransactionSize pace,
      int threads,
      ThreadFactory factory,
      Duration timeout) {
    this.handlers = handlers;
    this.batches = batches;
    this.receipts = receipts;
    this.classifier = classifier;
    this.pace = pace;
    this.threads = threads;
    this.timeout = timeout;
    AtomicInteger number = new AtomicInteger();
    this.pool =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = factory.newThread(task);
              thread.setName("posthorn-" + consumer + "-handler-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public boolean serves(String type) {
    return handlers.has(type) || handlers.ignores(type);
  }

  /** No more than are worked on soon: the timeout of those that wait for a thread runs already. */
  @Override
  public int maxInFlight() {
    return threads * pace.size();
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
    // No two of one key are in one call, so they may be split up at will: evenly, over all threads.
    int share = Math.max(1, Math.min(pace.size(), (tasks.size() + threads - 1) / threads));
    for (int from = 0; from < tasks.size(); from += share) {
      List<Task> part = tasks.subList(from, Math.min(tasks.size(), from + share));
      try {
        pool.execute(() -> run(part, answers));
      } catch (RejectedExecutionException closed) {
        unavailable(part, Reason.UNSERVED, "the handlers are closed", answers);
      }
    }
  }

  private record Task(Received received, int attempt, int index, long sentAt) {}

  /** The relay has given these up, and hands them over again when it is their turn. */
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
          new Telling(part, answers));
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
          Outcome.unavailable(Reason.of(Reason.UNSERVED, "the consumer cannot have it now"));
    };
  }

  /** Answers the relay. A second answer to a message is ignored there. */
  private final class Telling implements Batches.Results {
    private final List<Task> part;
    private final Answers answers;

    Telling(List<Task> part, Answers answers) {
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
    public boolean failed(int index, Received message, Throwable why) {
      answers.answer(part.get(index).index, classifier.classify(why));
      return !tooLate(part);
    }

    @Override
    public void stopped(int index, Throwable why) {
      unavailable(
          part.subList(index, part.size()),
          Reason.UNREACHABLE,
          "the database of the handlers: " + Sanitiser.text(why),
          answers);
    }
  }

  private static void unavailable(List<Task> part, String code, String why, Answers answers) {
    Outcome outcome = Outcome.unavailable(Reason.of(code, why));
    part.forEach(task -> answers.answer(task.index, outcome));
  }

  /** Takes nothing more; what runs may end. */
  @Override
  public void close() {
    pool.shutdown();
  }

  /** Waits for what runs, then interrupts it. */
  void awaitEnd(Duration most) throws InterruptedException {
    if (!pool.awaitTermination(most.toMillis(), TimeUnit.MILLISECONDS)) {
      pool.shutdownNow();
    }
  }
}

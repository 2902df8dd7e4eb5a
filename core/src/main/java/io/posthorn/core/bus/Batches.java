package io.posthorn.core.bus;

import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Writes receipts and calls handlers, for as many messages in one transaction as go well together.
 * When one fails, those before it are done again without it, and it alone is told as failed. Their
 * order is kept.
 */
final class Batches {
  /** So often a transaction that others were in the way of is repeated at once. */
  private static final int REPEATS = 10;

  private static final int LONGEST_PAUSE_MS = 20;

  /** A connection was lost, and the database answers another: so long it may need to settle. */
  private static final int AFTER_LOSS_MS = 100;

  private final String consumer;
  private final Handlers handlers;
  private final HandlerCalls calls;
  private final HandlerTransaction transaction;
  private final LostConnectionSuspects suspects;
  private final SendingOn sendingOn;
  private final Observer observer;
  private final TransactionSize pace;
  private final BooleanSupplier closing;

  Batches(
      String consumer,
      Handlers handlers,
      HandlerCalls calls,
      HandlerTransaction transaction,
      SendingOn sendingOn,
      Observer observer,
      TransactionSize pace,
      BooleanSupplier closing) {
    this.consumer = consumer;
    this.handlers = handlers;
    this.calls = calls;
    this.transaction = transaction;
    this.suspects = new LostConnectionSuspects(transaction);
    this.sendingOn = sendingOn;
    this.observer = observer;
    this.pace = pace;
    this.closing = closing;
  }

  /** Writes the receipts in the transaction, and says which messages are to be handled. */
  interface Receipts {
    InboxResult write(Connection tx, List<Received> messages);

    /**
     * The handlers are done. Fails if they left the transaction in which the receipts stand, or one
     * that can only be rolled back: COMMIT would do that and say nothing.
     */
    void seal(Connection tx);
  }

  /** Hears what came of the messages, in their order. Returning false means: no further. */
  interface Results {
    /** These are committed; the first of them is the one of this index. */
    boolean done(int index, List<Received> group, List<InboxVerdict> verdicts);

    boolean failed(int index, Received message, Throwable why) throws InterruptedException;

    /** Nothing can be done for these and those behind them now. */
    void stopped(int index, Throwable why);
  }

  void run(List<Received> hand, IntUnaryOperator attempts, Receipts receipts, Results results)
      throws InterruptedException {
    int from = 0;
    int size = hand.size();
    while (from < hand.size()) {
      int to = Math.min(hand.size(), from + size);
      List<Received> group = hand.subList(from, to);
      int start = from;
      List<InboxVerdict> verdicts = new ArrayList<>();
      TransactionFailure trouble =
          attempt(group, i -> attempts.applyAsInt(start + i), receipts, verdicts);
      if (trouble == null) {
        if (!results.done(from, group, verdicts)) {
          return;
        }
        from = to;
        size *= 2;
      } else if (trouble.kind() == TransactionFailure.Kind.DATABASE) {
        results.stopped(from, trouble.reason());
        return;
      } else if (group.size() == 1 || trouble.index() == 0) {
        if (!results.failed(from, group.get(0), trouble.reason())) {
          return;
        }
        from++;
        size = 1;
      } else {
        // Those before the one that failed; if nobody can tell which it was, half of them.
        size = trouble.index() > 0 ? trouble.index() : group.size() / 2;
      }
    }
  }

  /**
   * One transaction, repeated while others are in its way or its connection is lost by accident;
   * null if it is committed.
   */
  @Nullable TransactionFailure attempt(
      List<Received> group,
      IntUnaryOperator attempts,
      Receipts receipts,
      List<InboxVerdict> verdicts)
      throws InterruptedException {
    for (int repeat = 1; ; repeat++) {
      try {
        verdicts.addAll(once(group, attempts, receipts));
        suspects.clear(group);
        return null;
      } catch (TransactionFailure trouble) {
        if (trouble.kind() != TransactionFailure.Kind.CONFLICT) {
          TransactionFailure judged = suspects.judge(group, trouble);
          if (judged != null) {
            return judged;
          }
          Thread.sleep(AFTER_LOSS_MS);
        } else if (repeat >= REPEATS) {
          return trouble;
        } else {
          Thread.sleep(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MS));
        }
      }
    }
  }

  private List<InboxVerdict> once(
      List<Received> group, IntUnaryOperator attempts, Receipts receipts)
      throws TransactionFailure {
    long start = System.nanoTime();
    boolean[] added = new boolean[1];
    InboxResult taken;
    try {
      taken =
          transaction.run(
              tx -> {
                InboxResult said = receipts.write(tx, group);
                added[0] = handleAll(tx, group, said.verdicts(), attempts);
                return said;
              },
              (tx, said) -> {
                if (said.verdicts().stream().anyMatch(InboxVerdict::handled)) {
                  receipts.seal(tx);
                }
              });
    } catch (TransactionFailure trouble) {
      if (trouble.index() >= 0) {
        // Handlers that fail slowly are slow too.
        pace.took(trouble.index() + 1, System.nanoTime() - start);
      }
      throw trouble;
    }
    pace.took(group.size(), System.nanoTime() - start);
    if (added[0]) {
      sendingOn.outbox().wake();
    }
    tell(group, taken.verdicts());
    taken.deaths().forEach(death -> observer.on(FailureParker.dead(consumer, death, 0)));
    return taken.verdicts();
  }

  /** True if a handler has added messages. */
  private boolean handleAll(
      Connection tx, List<Received> group, List<InboxVerdict> verdicts, IntUnaryOperator attempts)
      throws Exception {
    GuardedConnection guarded = new GuardedConnection(tx);
    Connection connection = guarded.asConnection();
    boolean added = false;
    try {
      for (int i = 0; i < group.size(); i++) {
        if (verdicts.get(i).handled()) {
          boolean outOfOrder = verdicts.get(i) == InboxVerdict.OUT_OF_ORDER;
          added |=
              handle(
                  i,
                  new Handling(
                      group.get(i), attempts.applyAsInt(i), outOfOrder, connection, sendingOn));
        }
      }
    } finally {
      guarded.end();
    }
    return added;
  }

  private boolean handle(int index, Handling handling)
      throws HandlerTransaction.HandlerThrew, InterruptedException {
    try {
      calls.call(handling);
    } catch (InterruptedException e) {
      if (closing.getAsBoolean()) {
        throw e;
      }
      throw new HandlerTransaction.HandlerThrew(index, e);
    } catch (Throwable e) {
      // Errors too: a handler that runs out of stack or memory must not stop the others.
      throw new HandlerTransaction.HandlerThrew(index, e);
    } finally {
      if (!closing.getAsBoolean()) {
        // A handler that interrupted its own thread means nobody else.
        Thread.interrupted();
      }
    }
    return handling.added();
  }

  private void tell(List<Received> group, List<InboxVerdict> verdicts) {
    tell(group, verdicts, InboxVerdict::handled, list -> new Event.Handled(consumer, list));
    tell(
        group,
        verdicts,
        v -> v == InboxVerdict.DUPLICATE,
        list -> new Event.Repeated(consumer, list));
    tell(
        group,
        verdicts,
        v -> v == InboxVerdict.SKIPPED_STALE,
        list -> new Event.Stale(consumer, list));
  }

  private void tell(
      List<Received> group,
      List<InboxVerdict> verdicts,
      Predicate<InboxVerdict> which,
      Function<List<Message>, Event> event) {
    List<Message> those = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      Message message = group.get(i).message();
      if (which.test(verdicts.get(i)) && !handlers.ignores(message.type())) {
        those.add(message);
      }
    }
    if (!those.isEmpty()) {
      observer.on(event.apply(those));
    }
  }
}

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
 * Writes receipts and calls handlers, with several messages in one transaction. If a message fails,
 * the transaction is repeated with the messages before it, and only the failed message is reported
 * as failed. The order is kept.
 */
final class Batches {
  /** How often a transaction that conflicts with others is repeated at once. */
  private static final int REPEATS = 10;

  private static final int LONGEST_PAUSE_MS = 20;

  /**
   * The pause after a lost connection while the database answers others: it may need to recover.
   */
  private static final int AFTER_LOSS_MS = 100;

  private final String consumer;
  private final Handlers handlers;
  private final HandlerCalls calls;
  private final HandlerTransaction transaction;
  private final LostConnectionSuspects suspects;
  private final SendingOn sendingOn;
  private final Observer observer;
  private final TransactionSize transactionSize;
  private final BooleanSupplier closing;

  Batches(
      String consumer,
      Handlers handlers,
      HandlerCalls calls,
      HandlerTransaction transaction,
      SendingOn sendingOn,
      Observer observer,
      TransactionSize transactionSize,
      BooleanSupplier closing) {
    this.consumer = consumer;
    this.handlers = handlers;
    this.calls = calls;
    this.transaction = transaction;
    this.suspects = new LostConnectionSuspects(transaction);
    this.sendingOn = sendingOn;
    this.observer = observer;
    this.transactionSize = transactionSize;
    this.closing = closing;
  }

  /** Writes the receipts in the transaction, and decides which messages are handled. */
  interface Receipts {
    InboxResult write(Connection tx, List<Received> messages);

    /**
     * Allows the commit after the handlers have returned. Fails if they ended the transaction with
     * the receipts, or if it can only be rolled back: COMMIT would do that silently.
     */
    void seal(Connection tx);
  }

  /** Receives the results of the messages, in their order. A method returns false to stop. */
  interface Results {
    /** These messages are committed. The first of them has this index. */
    boolean done(int index, List<Received> group, List<InboxVerdict> verdicts);

    /** This message failed. */
    boolean failed(int index, Received message, TransactionFailure why) throws InterruptedException;

    /** The messages from this index on cannot be handled now, because the database fails. */
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
      TransactionFailure failure =
          attempt(group, i -> attempts.applyAsInt(start + i), receipts, verdicts);
      if (failure == null) {
        if (!results.done(from, group, verdicts)) {
          return;
        }
        from = to;
        size *= 2;
      } else if (failure.kind() == TransactionFailure.Kind.DATABASE) {
        results.stopped(from, failure.reason());
        return;
      } else if (group.size() == 1 || failure.index() == 0) {
        if (!results.failed(from, group.get(0), failure)) {
          return;
        }
        from++;
        size = 1;
      } else {
        // Repeat the messages before the failed one; if it is unknown which failed, half of them.
        size = failure.index() > 0 ? failure.index() : group.size() / 2;
      }
    }
  }

  /**
   * Runs one transaction. It is repeated after a conflict with another transaction, and after a
   * lost connection that seems to be an accident. Returns null if it is committed.
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
      } catch (TransactionFailure failure) {
        if (failure.kind() != TransactionFailure.Kind.CONFLICT) {
          TransactionFailure judged = suspects.judge(group, failure);
          if (judged != null) {
            return judged;
          }
          Thread.sleep(AFTER_LOSS_MS);
        } else if (repeat >= REPEATS) {
          return failure;
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
    } catch (TransactionFailure failure) {
      if (failure.index() >= 0) {
        // A handler that fails slowly is slow too.
        transactionSize.took(failure.index() + 1, System.nanoTime() - start);
      }
      throw failure;
    }
    transactionSize.took(group.size(), System.nanoTime() - start);
    if (added[0]) {
      sendingOn.outbox().wake();
    }
    tell(group, taken.verdicts());
    taken.deaths().forEach(death -> observer.on(FailureParker.dead(consumer, death, 0)));
    return taken.verdicts();
  }

  /** Returns true if a handler has added messages. */
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
      // Errors too: a handler that runs out of stack or memory must not stop other messages.
      throw new HandlerTransaction.HandlerThrew(index, e);
    } finally {
      if (!closing.getAsBoolean()) {
        // A handler that interrupted its own thread must not affect the next one.
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

package io.posthorn.core.bus;

import io.posthorn.core.source.Received;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages whose transaction lost its connection while the database answered other connections. A
 * single loss is an accident. If it happens again and again, one of the messages is at fault: its
 * handler runs longer than the timeout of the connection, or kills the connection. Without this
 * class such a message would block all others for ever.
 */
final class LostConnectionSuspects {
  /** The number of losses from which a message is at fault; fewer are accidents. */
  private static final int ENOUGH = 3;

  /**
   * The most messages to remember: some never come back, because the broker gave them to others.
   */
  static final int MOST = 10_000;

  private final HandlerTransaction transaction;
  private final Map<UUID, Integer> losses = new ConcurrentHashMap<>();

  LostConnectionSuspects(HandlerTransaction transaction) {
    this.transaction = transaction;
  }

  /** Decides what caused the failure; null means an accident, so the transaction is repeated. */
  @Nullable TransactionFailure judge(List<Received> group, TransactionFailure failure) {
    if (failure.kind() == TransactionFailure.Kind.DATABASE) {
      clear(group);
    }
    if (failure.kind() != TransactionFailure.Kind.LOST) {
      return failure;
    }
    if (!transaction.answers()) {
      clear(group);
      return new TransactionFailure(
          TransactionFailure.Kind.DATABASE, failure.index(), failure.reason());
    }
    if (losses.size() > MOST) {
      losses.clear();
    }
    // The message that noticed the loss is a suspect, and so is every one before it.
    int last = failure.index() < 0 ? group.size() - 1 : failure.index();
    group.subList(0, last + 1).forEach(one -> losses.merge(one.message().id(), 1, Integer::sum));
    return losses.getOrDefault(group.get(0).message().id(), 0) < ENOUGH
        ? null
        : failure.ofHandler();
  }

  int remembered() {
    return losses.size();
  }

  /** Clears these messages of suspicion, because they are handled or not at fault. */
  void clear(List<Received> group) {
    if (!losses.isEmpty()) {
      group.forEach(one -> losses.remove(one.message().id()));
    }
  }
}

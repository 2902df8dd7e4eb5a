package io.posthorn.core.bus;

import io.posthorn.core.source.Received;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages in whose transaction the connection was lost, though the database went on answering
 * others. Once that is an accident; again and again, one of them is at fault: its handler outlives
 * the timeout of the connection, or kills it. Without this one message would hold up all others for
 * ever.
 */
final class LostConnectionSuspects {
  /** So many losses are an accident or two. */
  private static final int ENOUGH = 3;

  /** Some are forgotten elsewhere: given to others by the broker, for example. */
  private static final int MOST = 10_000;

  private final HandlerTransaction transaction;
  private final Map<UUID, Integer> losses = new ConcurrentHashMap<>();

  LostConnectionSuspects(HandlerTransaction transaction) {
    this.transaction = transaction;
  }

  /** Whose fault this is after all; null if nobody's yet, so that it is worth another try. */
  @Nullable TransactionFailure judge(List<Received> group, TransactionFailure trouble) {
    if (trouble.kind() == TransactionFailure.Kind.DATABASE) {
      clear(group);
    }
    if (trouble.kind() != TransactionFailure.Kind.LOST) {
      return trouble;
    }
    if (!transaction.answers()) {
      clear(group);
      return new TransactionFailure(
          TransactionFailure.Kind.DATABASE, trouble.index(), trouble.reason());
    }
    if (losses.size() > MOST) {
      losses.clear();
    }
    // The one that noticed, or one before it that did not.
    int last = trouble.index() < 0 ? group.size() - 1 : trouble.index();
    group.subList(0, last + 1).forEach(one -> losses.merge(one.message().id(), 1, Integer::sum));
    return losses.getOrDefault(group.get(0).message().id(), 0) < ENOUGH
        ? null
        : new TransactionFailure(
            TransactionFailure.Kind.HANDLER, trouble.index(), trouble.reason());
  }

  /** They are innocent, or settled. */
  void clear(List<Received> group) {
    if (!losses.isEmpty()) {
      group.forEach(one -> losses.remove(one.message().id()));
    }
  }
}

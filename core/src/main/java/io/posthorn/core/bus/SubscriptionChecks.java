package io.posthorn.core.bus;

import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds all problems of subscriptions, so that one error can report them together. */
final class SubscriptionChecks {
  private final MessageTypes types;
  private final @Nullable PayloadReader reader;
  private final List<String> problems = new ArrayList<>();

  SubscriptionChecks(MessageTypes types, @Nullable PayloadReader reader) {
    this.types = types;
    this.reader = reader;
  }

  List<String> problems() {
    return problems;
  }

  void check(Subscription subscription) {
    if (subscription.byClass.isEmpty() && subscription.byType.isEmpty()) {
      problem(subscription, "has no handler: add one with on(…)");
    }
    for (String twice : new TreeSet<>(subscription.twice)) {
      problem(subscription, "has two handlers for " + twice + ": remove one");
    }
    checkClasses(subscription);
    Set<String> both = new TreeSet<>(subscription.byType.keySet());
    both.retainAll(subscription.ignored);
    if (!both.isEmpty()) {
      problem(
          subscription, "both handles and ignores " + both + ": remove the handler or ignoring(…)");
    }
    atLeastOne(subscription, "threads", subscription.threads);
    atLeastOne(subscription, "batch", subscription.batch);
    atLeastOne(subscription, "tries", subscription.tries);
    if (subscription.grace.isNegative()) {
      problem(subscription, "has a negative grace: " + subscription.grace);
    }
    if (subscription.idempotent && subscription.latestWins) {
      problem(
          subscription,
          "is both idempotent() and latestWins(), but without receipts it is unknown which message was handled last. Remove one of the two");
    }
  }

  private void checkClasses(Subscription subscription) {
    for (Class<?> event : subscription.byClass.keySet()) {
      Optional<MessageType> type = types.of(event);
      if (type.isEmpty()) {
        problem(
            subscription,
            "handles "
                + event.getName()
                + ", which is not registered for any type: add MessageType.named(…).from(…) to the types");
      } else if (subscription.byType.containsKey(type.get().name())) {
        problem(subscription, "has two handlers for " + type.get().name() + ": remove one");
      }
    }
    if (reader == null && !subscription.byClass.isEmpty()) {
      problem(
          subscription,
          "handles classes, but nothing reads their payloads: add posthorn-json to the class path, where Posthorn.on(…) finds it, or set a reader with payloads(…)");
    }
  }

  private void atLeastOne(Subscription subscription, String name, int value) {
    if (value < 1) {
      problem(subscription, name + " is " + value + ": at least 1 is needed");
    }
  }

  private void problem(Subscription subscription, String what) {
    problems.add("consumer '" + subscription.consumer + "' " + what);
  }
}

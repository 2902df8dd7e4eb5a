package io.posthorn.spring.handler;

import io.posthorn.core.bus.Isolation;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.bus.UnknownTypes;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.spring.StartAt;
import io.posthorn.spring.connector.RetryChange;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of one consumer. They override those of its methods.
 *
 * @param threads how many threads receive from the source, and how many handle what a relay hands
 *     over
 * @param batch the most messages in one transaction; default: as on the methods, or 100
 * @param tries calls in quick succession before a message is parked
 * @param timeout how long a relay waits for a handler
 * @param retry when a failed message is handled again; default: as on the methods
 * @param neverRetried exceptions that make a message a dead letter at once, in addition to those on
 *     the methods
 * @param afterDead what happens to the rest of a key when one of its messages dies; default: as on
 *     the methods
 * @param isolation the isolation level of the transactions; default: as on the methods
 * @param ignoring types whose messages are ignored
 * @param unknownTypes what happens to messages of types without a method
 * @param grace how long a message of an unknown type waits for a program that handles it
 * @param startAt the first message from the log, for a consumer without a source, when it is
 *     registered for the first time: now, earliest, or a time such as 2026-01-01T00:00:00Z
 */
public record ConsumerProperties(
    @DefaultValue("1") int threads,
    @Nullable Integer batch,
    @DefaultValue("3") int tries,
    @DefaultValue("10s") Duration timeout,
    @Nullable RetryChange retry,
    @DefaultValue List<Class<? extends Throwable>> neverRetried,
    @Nullable AfterDead afterDead,
    @Nullable Isolation isolation,
    @DefaultValue List<String> ignoring,
    @DefaultValue("park") UnknownTypes unknownTypes,
    @DefaultValue("10m") Duration grace,
    @DefaultValue("now") StartAt startAt) {

  /** The timeout of consumers without properties. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * Applies everything except the exceptions that are never retried.
   *
   * @param annotated the retry policy of the methods
   */
  void applyTo(Subscription subscription, RetryPolicy annotated) {
    subscription
        .threads(threads)
        .tries(tries)
        .timeout(timeout)
        .ignoring(ignoring.toArray(String[]::new))
        .unknownTypes(unknownTypes)
        .grace(grace)
        .startAt(startAt.start());
    if (batch != null) {
      subscription.batch(batch);
    }
    if (retry != null) {
      subscription.retry(retry.of(annotated));
    }
    if (afterDead != null) {
      subscription.afterDead(afterDead);
    }
    if (isolation != null) {
      subscription.isolation(isolation);
    }
  }
}

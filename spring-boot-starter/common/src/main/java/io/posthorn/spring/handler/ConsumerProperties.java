package io.posthorn.spring.handler;

import io.posthorn.core.bus.Subscription;
import io.posthorn.core.bus.UnknownTypes;
import io.posthorn.spring.StartAt;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of one consumer, in addition to those of its methods.
 *
 * @param threads how many threads receive from the source, and how many handle what a relay hands
 *     over
 * @param tries calls in quick succession before a message is parked
 * @param timeout how long a relay waits for a handler
 * @param unknownTypes what happens to messages of types without a method
 * @param grace how long a message of an unknown type waits for a program that handles it
 * @param startAt the first message from the log, for a consumer without a source, when it is
 *     registered for the first time
 */
public record ConsumerProperties(
    @DefaultValue("1") int threads,
    @DefaultValue("3") int tries,
    @DefaultValue("10s") Duration timeout,
    @DefaultValue("park") UnknownTypes unknownTypes,
    @DefaultValue("10m") Duration grace,
    @DefaultValue("now") StartAt startAt) {

  /** The timeout of consumers without properties. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  void applyTo(Subscription subscription) {
    subscription
        .threads(threads)
        .tries(tries)
        .timeout(timeout)
        .unknownTypes(unknownTypes)
        .grace(grace)
        .startAt(startAt.start());
  }
}

package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One consumer on one queue, with a connection of its own.
 *
 * <p>When the channel is gone, the messages polled from it are lost to this feed. The broker hands
 * them out again, and the next poll opens another channel.
 */
final class RabbitMqFeed implements Feed {
  private static final Duration BACKOFF = Duration.ofMillis(500);

  private final RabbitMqSourceConfig config;
  private final String name;
  private final String consumer;
  private final DeliveryCounts deliveryCounts;
  private final ScheduledThreadPoolExecutor clock;
  private @Nullable BrokerConnection link;
  private @Nullable ConsumingChannel session;

  RabbitMqFeed(
      RabbitMqSourceConfig config, String name, String consumer, DeliveryCounts deliveryCounts) {
    this.config = config;
    this.name = name;
    this.consumer = consumer;
    this.deliveryCounts = deliveryCounts;
    this.clock = new ScheduledThreadPoolExecutor(1, Threads.named("posthorn-rabbitmq-clock"));
    clock.setRemoveOnCancelPolicy(true);
  }

  @Override
  public List<Received> poll(int most, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    List<Received> polled = new ArrayList<>();
    ConsumingChannel open;
    Received next;
    do {
      open = session(until);
      next = open == null ? null : open.next(left(until));
    } while (next == null && !left(until).isZero());
    while (open != null && next != null) {
      polled.add(next);
      next = polled.size() < most ? open.next(Duration.ZERO) : null;
    }
    return polled;
  }

  @Override
  public void acknowledge(List<Received> done) {
    ConsumingChannel current = session;
    if (current != null) {
      current.acknowledge(done);
    }
  }

  @Override
  public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
    ConsumingChannel current = session;
    if (current == null || inHand.stream().noneMatch(current::owns)) {
      return List.of();
    }
    current.await(pause);
    return inHand.stream().filter(current::owns).toList();
  }

  /** Returns null if no broker answered in time. */
  private @Nullable ConsumingChannel session(long until) throws InterruptedException {
    ConsumingChannel current = session;
    if (current != null && current.isOpen()) {
      return current;
    }
    if (current != null) {
      current.abort();
      session = null;
      throwIfFailed(current);
      // Waits briefly, because a broker may be ending channels one after the other.
      TimeUnit.NANOSECONDS.sleep(Math.min(left(until).toNanos(), BACKOFF.toNanos() / 5));
    }
    while (true) {
      try {
        ConsumingChannel opened = ConsumingChannel.open(link(), config, deliveryCounts);
        session = opened;
        return opened;
      } catch (IOException | TimeoutException | RuntimeException e) {
        endLinkOrThrow(e);
      }
      Duration rest = left(until);
      if (rest.isZero()) {
        return null;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(rest.toNanos(), BACKOFF.toNanos()));
    }
  }

  /** Throws instead of retrying at once, so that the caller logs it and pauses ever longer. */
  private void throwIfFailed(ConsumingChannel ended) {
    Throwable failure = ended.failure();
    if (failure != null) {
      throw new PosthornException(
          ErrorCode.MESSAGE_UNREADABLE,
          "a message from %s for consumer '%s' could not be read: %s. Nothing is lost: the message is not acknowledged, and the broker delivers it again. If this continues, the program lacks memory or one of its classes."
              .formatted(name, consumer, Sanitiser.clean(failure.toString())),
          failure);
    }
  }

  private BrokerConnection link() throws IOException, TimeoutException {
    BrokerConnection open = link;
    if (open == null || !open.isOpen()) {
      open = BrokerConnection.open(config, clock);
      link = open;
    }
    return open;
  }

  /** Ends a link to an unreachable broker, which will return; throws what a person must correct. */
  private void endLinkOrThrow(Exception thrown) {
    Reason reason = ConnectionFailures.reason(thrown);
    if (!reason.code().equals(Reason.UNREACHABLE)) {
      throw new PosthornException(
          ErrorCode.SOURCE_FAILED,
          "nothing was received from %s for consumer '%s': %s, %s. Correct it at the broker or in the configuration. Nothing is lost, and the next poll tries again."
              .formatted(name, consumer, reason.code(), reason.text()),
          thrown);
    }
    BrokerConnection current = link;
    if (current != null) {
      current.end();
    }
  }

  private static Duration left(long until) {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  @Override
  public void close() {
    session = null;
    BrokerConnection open = link;
    link = null;
    if (open != null) {
      open.close();
    }
    clock.shutdownNow();
  }
}

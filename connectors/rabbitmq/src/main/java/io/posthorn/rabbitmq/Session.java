package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.core.source.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One channel, from when it began to consume until it or the queue is gone. The numbers of messages
 * mean something on it alone: what came over it is acknowledged here or not at all.
 */
final class Session extends DefaultConsumer {
  private final QueuedMessageReader arrivals;
  private final Repeats repeats;

  /** At most as many as the prefetch; an empty one says that this is the end. */
  private final BlockingQueue<Optional<Received>> arrived = new LinkedBlockingQueue<>();

  private final NavigableSet<Long> unacknowledged = new ConcurrentSkipListSet<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;

  /** Where a message was found. */
  record Place(Session session, long tag) {}

  private Session(Channel channel, QueuedMessageReader arrivals, Repeats repeats) {
    super(channel);
    this.arrivals = arrivals;
    this.repeats = repeats;
  }

  static Session open(Link link, RabbitMqSourceConfig config, Repeats repeats) throws IOException {
    Channel channel = link.connection().createChannel();
    if (channel == null) {
      throw new IOException("the broker opens no more channels on this connection");
    }
    Session session = new Session(channel, new QueuedMessageReader(config.queue(), config.reader()), repeats);
    channel.basicQos(config.prefetch());
    channel.basicConsume(config.queue(), false, session);
    return session;
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
    try {
      long tag = envelope.getDeliveryTag();
      repeats.saw(properties.getHeaders());
      unacknowledged.add(tag);
      arrived.add(
          Optional.of(arrivals.of(properties, body, envelope.isRedeliver(), new Place(this, tag))));
    } catch (Throwable e) {
      // The client would only log it, and the message would hang with its share of the prefetch.
      failure = e;
      ended();
    }
  }

  /** What went wrong with a message that came; it comes again once this is aborted. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** The broker ends the consuming: the queue was deleted, or moved. */
  @Override
  public void handleCancel(String consumerTag) {
    ended();
  }

  @Override
  public void handleShutdownSignal(String consumerTag, ShutdownSignalException cause) {
    ended();
  }

  private void ended() {
    end.countDown();
    arrived.add(Optional.empty());
  }

  boolean isOpen() {
    return end.getCount() > 0 && getChannel().isOpen();
  }

  /** The next message; none if none came in time, or this is the end. */
  @Nullable Received next(Duration wait) throws InterruptedException {
    if (!isOpen()) {
      return null;
    }
    Optional<Received> next = arrived.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
    return next == null || !isOpen() ? null : next.orElse(null);
  }

  /** Returns early when this ends. */
  void await(Duration wait) throws InterruptedException {
    if (isOpen()) {
      end.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  boolean owns(Received received) {
    return received.place() instanceof Place place && place.session() == this && isOpen();
  }

  /** One word to the broker for all of a run; it answers none of them. */
  void acknowledge(List<Received> done) {
    Set<Long> tags =
        done.stream()
            .filter(this::owns)
            .map(received -> received.place() instanceof Place place ? place.tag() : 0L)
            .filter(unacknowledged::contains)
            .collect(Collectors.toSet());
    long run = 0;
    for (long tag : unacknowledged) {
      if (!tags.contains(tag)) {
        break;
      }
      run = tag;
    }
    try {
      if (run > 0) {
        getChannel().basicAck(run, true);
        unacknowledged.headSet(run, true).clear();
      }
      for (long tag : tags) {
        if (unacknowledged.remove(tag)) {
          getChannel().basicAck(tag, false);
        }
      }
    } catch (IOException | AlreadyClosedException e) {
      // The channel is gone, and they with it: they come again.
    }
  }

  void abort() {
    ended();
    try {
      getChannel().abort();
    } catch (IOException | AlreadyClosedException e) {
      // then it is gone already
    }
  }
}

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
 * One channel, from its first consume until the channel or the queue is gone.
 *
 * <p>Delivery tags are valid only on their channel, so a message received here is acknowledged here
 * or not at all.
 */
final class ConsumingChannel extends DefaultConsumer {
  private final QueuedMessageReader reader;
  private final DeliveryCounts deliveryCounts;

  /** Holds at most as many messages as the prefetch; an empty value marks the end. */
  private final BlockingQueue<Optional<Received>> delivered = new LinkedBlockingQueue<>();

  private final NavigableSet<Long> unacknowledged = new ConcurrentSkipListSet<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;

  /** Where a message was received. */
  record Place(ConsumingChannel session, long tag) {}

  private ConsumingChannel(
      Channel channel, QueuedMessageReader reader, DeliveryCounts deliveryCounts) {
    super(channel);
    this.reader = reader;
    this.deliveryCounts = deliveryCounts;
  }

  static ConsumingChannel open(
      BrokerConnection link, RabbitMqSourceConfig config, DeliveryCounts deliveryCounts)
      throws IOException {
    Channel channel = link.connection().createChannel();
    if (channel == null) {
      throw new IOException("the broker refused another channel on this connection");
    }
    ConsumingChannel session =
        new ConsumingChannel(
            channel, new QueuedMessageReader(config.queue(), config.reader()), deliveryCounts);
    channel.basicQos(config.prefetch());
    channel.basicConsume(config.queue(), false, session);
    return session;
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
    try {
      long tag = envelope.getDeliveryTag();
      deliveryCounts.record(properties.getHeaders());
      unacknowledged.add(tag);
      delivered.add(
          Optional.of(reader.of(properties, body, envelope.isRedeliver(), new Place(this, tag))));
    } catch (Throwable e) {
      // The client would only log it, and the message would stay unacknowledged and use up
      // prefetch.
      failure = e;
      ended();
    }
  }

  /** Returns why a delivered message could not be read; aborting the session redelivers it. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** The broker ends the consumer: the queue was deleted or moved. */
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
    delivered.add(Optional.empty());
  }

  boolean isOpen() {
    return end.getCount() > 0 && getChannel().isOpen();
  }

  /** Returns the next message, or null if none arrived in time or the session has ended. */
  @Nullable Received next(Duration wait) throws InterruptedException {
    if (!isOpen()) {
      return null;
    }
    Optional<Received> next = delivered.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
    return next == null || !isOpen() ? null : next.orElse(null);
  }

  /** Waits this long, or until the session ends. */
  void await(Duration wait) throws InterruptedException {
    if (isOpen()) {
      end.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  boolean owns(Received received) {
    return received.place() instanceof Place place && place.session() == this && isOpen();
  }

  /** Acknowledges an unbroken run of messages with a single request; the broker sends no reply. */
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
      // The channel is gone and its messages with it: the broker delivers them again.
    }
  }

  void abort() {
    ended();
    try {
      getChannel().abort();
    } catch (IOException | AlreadyClosedException e) {
      // the channel is already gone
    }
  }
}

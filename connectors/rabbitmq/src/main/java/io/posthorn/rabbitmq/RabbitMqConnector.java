package io.posthorn.rabbitmq;

import com.rabbitmq.client.AlreadyClosedException;
import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes each message to an exchange. Sent is only what the broker has confirmed, by its number,
 * and has not returned for want of a queue. Exchanges, queues and bindings are never declared.
 *
 * <p>One thread publishes, without waiting for confirms, and opens connection and channel when
 * there is something to send and none is open. A message is never published twice by itself: when a
 * connection is lost, all that was not confirmed is answered as such, and the relay decides.
 */
public final class RabbitMqConnector implements Connector {
  private static final long EXPIRE_MILLIS = 50;

  private final RabbitMqConfig config;
  private final Known known;
  private final Parcels parcels;
  private final BlockingQueue<Publication> waiting = new LinkedBlockingQueue<>();
  private final ScheduledThreadPoolExecutor clock;
  private final Thread publisher;
  private volatile @Nullable Link link;
  private volatile @Nullable ConfirmingChannel channel;
  private volatile boolean closed;

  public RabbitMqConnector(RabbitMqConfig config) {
    this.config = config;
    this.known = new Known(config);
    this.parcels = new Parcels(config, known);
    this.clock = new ScheduledThreadPoolExecutor(1, Threads.named("posthorn-rabbitmq-clock"));
    clock.setRemoveOnCancelPolicy(true);
    ScheduledFuture<?> unused =
        clock.scheduleWithFixedDelay(
            this::expire, EXPIRE_MILLIS, EXPIRE_MILLIS, TimeUnit.MILLISECONDS);
    this.publisher = Threads.named("posthorn-rabbitmq").newThread(this::publishAll);
    publisher.start();
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    Link current = link;
    String blocked = current == null ? null : current.blocked();
    for (int i = 0; i < messages.size(); i++) {
      Publication publication = new Publication(messages.get(i), i, answers, deadline);
      if (blocked == null) {
        waiting.add(publication);
      } else {
        publication.answer(Outcome.unavailable(Failures.blocked(blocked)));
      }
    }
    if (closed) {
      answerWaiting(Failures.CLOSED);
    }
  }

  private void publishAll() {
    while (!closed) {
      try {
        publish(waiting.take());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void publish(Publication publication) {
    if (publication.isAnswered()) {
      return;
    }
    ConfirmingChannel used = null;
    try {
      Parcel parcel = parcels.of(publication.message());
      used = channel();
      if (!config.hasFixedExchange() && !used.hasExchange(parcel.exchange())) {
        throw new RejectedException(
            Reason.NO_ADDRESS, "there is no exchange '" + parcel.exchange() + "'");
      }
      used.publish(publication, parcel);
    } catch (RejectedException e) {
      publication.answer(Classifier.DEFAULT.classify(e));
    } catch (AlreadyClosedException e) {
      // The next message opens another channel, and another connection if need be.
      giveUp(publication, used, e);
    } catch (IOException | TimeoutException | RuntimeException e) {
      // Whatever it was, the channel's count of messages may be wrong now.
      endLink();
      giveUp(publication, used, e);
    }
  }

  /**
   * With all that waits behind it: what stopped this one would stop them, too; unless it was the
   * end of a connection that is given up already, for they get another.
   */
  private void giveUp(Publication publication, @Nullable ConfirmingChannel used, Exception why) {
    Outcome outcome = closed ? Failures.CLOSED : Outcome.unavailable(Failures.reason(why));
    publication.answer(outcome);
    if (closed || used == null || !used.isGivenUp()) {
      answerWaiting(outcome);
    }
  }

  private ConfirmingChannel channel() throws IOException, TimeoutException {
    ConfirmingChannel existing = channel;
    if (existing != null && existing.isOpen()) {
      return existing;
    }
    Link open = link;
    if (open == null || !open.isOpen()) {
      open = Link.open(config, clock);
      link = open;
      if (closed) {
        throw new IOException("the connector is closed");
      }
    }
    ConfirmingChannel opened = ConfirmingChannel.open(open, known);
    channel = opened;
    return opened;
  }

  private void answerWaiting(Outcome outcome) {
    for (Publication next = waiting.poll(); next != null; next = waiting.poll()) {
      next.answer(outcome);
    }
  }

  private void expire() {
    long now = System.nanoTime();
    for (Publication next = waiting.peek();
        next != null && next.isOverdue(now);
        next = waiting.peek()) {
      if (waiting.remove(next)) {
        next.answer(Failures.NOT_IN_TIME);
      }
    }
    ConfirmingChannel used = channel;
    if (used != null) {
      used.expire(now, config.timeout());
    }
  }

  private void endLink() {
    Link current = link;
    if (current != null) {
      current.end();
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public List<Finding> check() {
    Link current = link;
    String blocked = current == null ? null : current.blocked();
    return new Check(config, known, clock).findings(blocked);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    publisher.interrupt();
    Link current = link;
    if (current != null) {
      current.close();
    }
    clock.shutdownNow();
    answerWaiting(Failures.CLOSED);
  }
}

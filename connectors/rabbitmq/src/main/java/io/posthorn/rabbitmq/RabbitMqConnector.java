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
import java.util.ArrayList;
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
  private final OnceLogger surprises = new OnceLogger();
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
            this::expireAndGoOn, EXPIRE_MILLIS, EXPIRE_MILLIS, TimeUnit.MILLISECONDS);
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
        publication.answer(Outcome.unavailable(ConnectionFailures.blocked(blocked)));
      }
    }
    if (closed) {
      answerWaiting(ConnectionFailures.CLOSED);
    }
  }

  /** Nothing may end this but a close: nobody would start it again. */
  private void publishAll() {
    while (!closed) {
      try {
        publish(waiting.take());
      } catch (InterruptedException e) {
        // A close, or the doing of an envelope or of credentials.
      } catch (Throwable e) {
        // The answer itself failed; the relay has a time limit of its own.
        surprises.tell("an answer failed", e);
      }
    }
  }

  private void publish(Publication publication) {
    if (publication.isAnswered()) {
      return;
    }
    Parcel parcel = parcel(publication);
    if (parcel == null) {
      return;
    }
    ConfirmingChannel used = null;
    try {
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
    } catch (Throwable e) {
      surprises.tell("a connection was given up", e);
      if (used == null) {
        endLink();
        giveUp(publication, used, e);
      } else {
        // It may be this message, for example its size: the others must not wait for it.
        fail(publication, e);
      }
    }
  }

  /** Answered before the end of the link does so: that would blame the destination. */
  private void fail(Publication publication, Throwable why) {
    try {
      publication.answer(Classifier.DEFAULT.classify(why));
    } finally {
      endLink();
    }
  }

  /** None if it is answered: what an envelope or an address throws is about this message alone. */
  private @Nullable Parcel parcel(Publication publication) {
    try {
      return parcels.of(publication.message());
    } catch (Throwable e) {
      if (!(e instanceof RejectedException)) {
        surprises.tell("a message could not be made ready", e);
      }
      publication.answer(Classifier.DEFAULT.classify(e));
      return null;
    }
  }

  /**
   * With all that waits behind it: what stopped this one would stop them, too; unless it was the
   * end of a connection that is given up already, for they get another.
   */
  private void giveUp(Publication publication, @Nullable ConfirmingChannel used, Throwable why) {
    Outcome outcome = closed ? ConnectionFailures.CLOSED : Outcome.unavailable(ConnectionFailures.reason(why));
    List<Publication> all = new ArrayList<>(List.of(publication));
    if (closed || used == null || !used.isGivenUp()) {
      // Taken before any is answered: who sends again after an answer begins anew.
      waiting.drainTo(all);
    }
    all.forEach(each -> each.answer(outcome));
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

  /** A task that throws is never run again. */
  private void expireAndGoOn() {
    try {
      expire();
    } catch (Throwable e) {
      surprises.tell("an answer that was due failed", e);
    }
  }

  private void expire() {
    long now = System.nanoTime();
    for (Publication next = waiting.peek();
        next != null && next.isOverdue(now);
        next = waiting.peek()) {
      if (waiting.remove(next)) {
        next.answer(ConnectionFailures.NOT_IN_TIME);
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
    return new BrokerCheck(config, known, clock).findings(blocked);
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
    answerWaiting(ConnectionFailures.CLOSED);
  }
}

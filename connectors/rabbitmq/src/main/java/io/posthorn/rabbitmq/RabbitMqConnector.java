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
 * Publishes each message to an exchange. A message counts as sent once the broker has confirmed it
 * and has not returned it for lack of a queue. Exchanges, queues and bindings are never declared.
 *
 * <p>One thread publishes without waiting for confirms. It opens a connection and a channel when
 * there is something to send and none is open. The connector never publishes a message twice on its
 * own: when a connection is lost, all unconfirmed messages are answered as unavailable, and the
 * relay decides.
 */
public final class RabbitMqConnector implements Connector {
  private static final long EXPIRE_MILLIS = 50;

  private final RabbitMqConfig config;
  private final BrokerState brokerState;
  private final Parcels parcels;
  private final OnceLogger unexpectedErrors = new OnceLogger();
  private final BlockingQueue<Publication> waiting = new LinkedBlockingQueue<>();
  private final ScheduledThreadPoolExecutor clock;
  private final Thread publisher;
  private volatile @Nullable BrokerConnection link;
  private volatile @Nullable ConfirmingChannel channel;
  private volatile boolean closed;

  public RabbitMqConnector(RabbitMqConfig config) {
    this.config = config;
    this.brokerState = new BrokerState(config);
    this.parcels = new Parcels(config, brokerState);
    this.clock = new ScheduledThreadPoolExecutor(1, Threads.named("posthorn-rabbitmq-clock"));
    clock.setRemoveOnCancelPolicy(true);
    ScheduledFuture<?> unused =
        clock.scheduleWithFixedDelay(
            this::expireSafely, EXPIRE_MILLIS, EXPIRE_MILLIS, TimeUnit.MILLISECONDS);
    this.publisher = Threads.named("posthorn-rabbitmq").newThread(this::publishAll);
    publisher.start();
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    BrokerConnection current = link;
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

  /** Publishes until the connector is closed. No error may end it: nothing would restart it. */
  private void publishAll() {
    while (!closed) {
      try {
        publish(waiting.take());
      } catch (InterruptedException e) {
        // The connector was closed, or an envelope or the credentials supplier interrupted the
        // thread.
      } catch (Throwable e) {
        // The answer itself failed; the relay's own time limit covers that.
        unexpectedErrors.log("an answer failed", e);
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
      // The next message opens a new channel, and a new connection if necessary.
      giveUp(publication, used, e);
    } catch (IOException | TimeoutException | RuntimeException e) {
      // Whatever failed, the channel's sequence numbers may be wrong now.
      endLink();
      giveUp(publication, used, e);
    } catch (Throwable e) {
      unexpectedErrors.log("a connection was closed", e);
      if (used == null) {
        endLink();
        giveUp(publication, used, e);
      } else {
        // This message may be the cause, for example by its size; the others must not wait for it.
        fail(publication, e);
      }
    }
  }

  /** Answers the message first; the end of the link would blame the destination for it. */
  private void fail(Publication publication, Throwable why) {
    try {
      publication.answer(Classifier.DEFAULT.classify(why));
    } finally {
      endLink();
    }
  }

  /**
   * Returns null if the message was answered here: a failing envelope or address affects only it.
   */
  private @Nullable Parcel parcel(Publication publication) {
    try {
      return parcels.of(publication.message());
    } catch (Throwable e) {
      if (!(e instanceof RejectedException)) {
        unexpectedErrors.log("a message could not be prepared", e);
      }
      publication.answer(Classifier.DEFAULT.classify(e));
      return null;
    }
  }

  /**
   * Answers this message and all that wait behind it, since the same cause would stop them too.
   *
   * <p>If the connection was already given up, the waiting messages stay: the next connection is
   * for them.
   */
  private void giveUp(Publication publication, @Nullable ConfirmingChannel used, Throwable why) {
    Outcome outcome =
        closed ? ConnectionFailures.CLOSED : Outcome.unavailable(ConnectionFailures.reason(why));
    List<Publication> all = new ArrayList<>(List.of(publication));
    if (closed || used == null || !used.isGivenUp()) {
      // Taken out before any is answered: a caller that sends again after an answer starts fresh.
      waiting.drainTo(all);
    }
    all.forEach(each -> each.answer(outcome));
  }

  private ConfirmingChannel channel() throws IOException, TimeoutException {
    ConfirmingChannel existing = channel;
    if (existing != null && existing.isOpen()) {
      return existing;
    }
    BrokerConnection open = link;
    if (open == null || !open.isOpen()) {
      open = BrokerConnection.open(config, clock);
      link = open;
      if (closed) {
        throw new IOException("the connector is closed");
      }
    }
    ConfirmingChannel opened = ConfirmingChannel.open(open, brokerState);
    channel = opened;
    return opened;
  }

  private void answerWaiting(Outcome outcome) {
    for (Publication next = waiting.poll(); next != null; next = waiting.poll()) {
      next.answer(outcome);
    }
  }

  /** Keeps the schedule running: the executor does not repeat a task that has thrown. */
  private void expireSafely() {
    try {
      expire();
    } catch (Throwable e) {
      unexpectedErrors.log("the answer to an overdue message failed", e);
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
    BrokerConnection current = link;
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
    BrokerConnection current = link;
    String blocked = current == null ? null : current.blocked();
    return new BrokerCheck(config, brokerState, clock).findings(blocked);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    publisher.interrupt();
    BrokerConnection current = link;
    if (current != null) {
      current.close();
    }
    clock.shutdownNow();
    answerWaiting(ConnectionFailures.CLOSED);
  }
}

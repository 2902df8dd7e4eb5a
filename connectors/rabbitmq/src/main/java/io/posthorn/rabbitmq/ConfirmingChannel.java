package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A channel on which the broker confirms each message by its sequence number.
 *
 * <p>One thread publishes. Confirms and returns arrive in the connection's own thread; the return
 * of a message always arrives before its confirm.
 *
 * <p>When the channel ends, all unconfirmed messages are answered. A message added after that is
 * answered by the thread that added it, which checks for the end afterwards.
 */
final class ConfirmingChannel {
  private final BrokerConnection link;
  private final Channel channel;
  private final BrokerState brokerState;
  private final ConcurrentNavigableMap<Long, Publication> unconfirmed =
      new ConcurrentSkipListMap<>();
  private final Set<String> exchanges = new HashSet<>();
  private volatile long lastConfirm = System.nanoTime();
  private volatile boolean givenUp;
  private volatile @Nullable ShutdownSignalException end;

  private ConfirmingChannel(BrokerConnection link, Channel channel, BrokerState brokerState) {
    this.link = link;
    this.channel = channel;
    this.brokerState = brokerState;
  }

  static ConfirmingChannel open(BrokerConnection link, BrokerState brokerState) throws IOException {
    Channel channel = link.connection().createChannel();
    if (channel == null) {
      throw new IOException("the broker refused another channel on this connection");
    }
    ConfirmingChannel confirming = new ConfirmingChannel(link, channel, brokerState);
    channel.addReturnListener(confirming::returned);
    channel.addConfirmListener(
        (sequence, all) -> confirming.confirmed(sequence, all, true),
        (sequence, all) -> confirming.confirmed(sequence, all, false));
    channel.addShutdownListener(confirming::ended);
    channel.confirmSelect();
    return confirming;
  }

  boolean isOpen() {
    return link.isOpen() && channel.isOpen();
  }

  /** Returns whether the connection was closed here because the broker stopped answering. */
  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * Publishes one message.
   *
   * @throws IOException or a runtime exception if it was not published; the channel's sequence
   *     number may then differ from the broker's, and the channel must not be used again
   */
  void publish(Publication publication, Parcel parcel) throws IOException {
    publication.size(parcel.body().length);
    long sequence = channel.getNextPublishSeqNo();
    unconfirmed.put(sequence, publication);
    ShutdownSignalException cause = end;
    if (cause == null) {
      channel.basicPublish(
          parcel.exchange(), parcel.routingKey(), true, parcel.properties(), parcel.body());
      cause = end;
    }
    if (cause != null && unconfirmed.remove(sequence) != null) {
      publication.answer(outcome(publication, cause));
    }
  }

  /** Asks once per exchange, since publishing to a missing exchange would end the channel. */
  boolean hasExchange(String name) throws IOException {
    if (exchanges.contains(name)) {
      return true;
    }
    Channel temporary = channel.getConnection().createChannel();
    try {
      temporary.exchangeDeclarePassive(name);
      temporary.abort();
      return exchanges.add(name);
    } catch (IOException e) {
      if (ConnectionFailures.code(e) == AMQP.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Marks all messages in flight that have this id: a message sent twice is better than a lost one.
   */
  private void returned(Return returned) {
    String id = returned.getProperties().getMessageId();
    unconfirmed.values().stream()
        .filter(publication -> publication.message().id().toString().equals(id))
        .forEach(Publication::markReturned);
  }

  private void confirmed(long sequence, boolean allBefore, boolean positive) {
    lastConfirm = System.nanoTime();
    if (!allBefore) {
      answer(unconfirmed.remove(sequence), positive);
      return;
    }
    for (Map.Entry<Long, Publication> entry : unconfirmed.headMap(sequence, true).entrySet()) {
      answer(unconfirmed.remove(entry.getKey()), positive);
    }
  }

  private void answer(@Nullable Publication publication, boolean positive) {
    if (publication != null) {
      publication.answer(
          positive
              ? brokerState.confirmed(publication)
              : Outcome.failed(
                  Reason.of(
                      ConnectionFailures.NACKED,
                      "the broker refused the message with a nack: a queue is full or could not store it")));
    }
  }

  private void ended(ShutdownSignalException cause) {
    ConnectionFailures.sizeLimit(cause).ifPresent(brokerState::limit);
    end = cause;
    for (Long sequence : unconfirmed.keySet()) {
      Publication publication = unconfirmed.remove(sequence);
      if (publication != null) {
        publication.answer(outcome(publication, cause));
      }
    }
  }

  private static Outcome outcome(Publication publication, ShutdownSignalException cause) {
    OptionalLong limit = ConnectionFailures.sizeLimit(cause);
    if (limit.isPresent() && publication.size() > limit.getAsLong()) {
      return Outcome.rejected(
          Reason.of(
              Reason.TOO_LARGE,
              "the body has %d bytes, the broker's limit is %d"
                  .formatted(publication.size(), limit.getAsLong())));
    }
    return Outcome.unavailable(ConnectionFailures.reason(cause));
  }

  /**
   * Answers overdue messages.
   *
   * <p>If the broker sent no confirm at all for half of the timeout, the connection is unusable and
   * is ended first. A caller that sends again after the answer must not get the same connection.
   */
  void expire(long now, Duration timeout) {
    List<Publication> overdue = takeOverdue(now);
    if (overdue.isEmpty()) {
      return;
    }
    String blocked = link.blocked();
    boolean silent = blocked == null && now - lastConfirm > timeout.toNanos() / 2;
    if (silent) {
      givenUp = true;
      link.end();
    }
    overdue.forEach(publication -> publication.answer(overdue(silent, blocked)));
  }

  private List<Publication> takeOverdue(long now) {
    List<Publication> overdue = new ArrayList<>();
    for (Map.Entry<Long, Publication> entry : unconfirmed.entrySet()) {
      if (!entry.getValue().isOverdue(now)) {
        break;
      }
      if (unconfirmed.remove(entry.getKey()) != null) {
        overdue.add(entry.getValue());
      }
    }
    return overdue;
  }

  private static Outcome overdue(boolean silent, @Nullable String blocked) {
    if (blocked != null) {
      return Outcome.unavailable(ConnectionFailures.blocked(blocked));
    }
    Reason reason = Reason.of(Reason.TIMEOUT, "the broker did not confirm the message in time");
    return silent ? Outcome.unavailable(reason) : Outcome.failed(reason);
  }
}

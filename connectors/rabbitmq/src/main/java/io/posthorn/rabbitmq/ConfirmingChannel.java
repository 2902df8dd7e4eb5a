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
 * A channel on which the broker confirms each message by its number. One thread publishes; confirms
 * and returns come in the connection's own thread, a return always before the confirm of the same
 * message.
 *
 * <p>The end of the channel answers all that was not confirmed. A message that is entered after
 * that is answered by the thread that entered it, which looks for the end afterwards.
 */
final class ConfirmingChannel {
  private final Link link;
  private final Channel channel;
  private final Known known;
  private final ConcurrentNavigableMap<Long, Publication> unconfirmed =
      new ConcurrentSkipListMap<>();
  private final Set<String> exchanges = new HashSet<>();
  private volatile long lastConfirm = System.nanoTime();
  private volatile boolean givenUp;
  private volatile @Nullable ShutdownSignalException end;

  private ConfirmingChannel(Link link, Channel channel, Known known) {
    this.link = link;
    this.channel = channel;
    this.known = known;
  }

  static ConfirmingChannel open(Link link, Known known) throws IOException {
    Channel channel = link.connection().createChannel();
    if (channel == null) {
      throw new IOException("the broker allows no more channels on this connection");
    }
    ConfirmingChannel confirming = new ConfirmingChannel(link, channel, known);
    channel.addReturnListener(confirming::returned);
    channel.addConfirmListener(
        (number, all) -> confirming.confirmed(number, all, true),
        (number, all) -> confirming.confirmed(number, all, false));
    channel.addShutdownListener(confirming::ended);
    channel.confirmSelect();
    return confirming;
  }

  boolean isOpen() {
    return link.isOpen() && channel.isOpen();
  }

  /** Whether its connection was given up because the broker said nothing any more. */
  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * @throws IOException or a runtime exception if it was not published; the channel's count may
   *     then differ from the broker's, and it must not be used again
   */
  void publish(Publication publication, Parcel parcel) throws IOException {
    publication.size(parcel.body().length);
    long number = channel.getNextPublishSeqNo();
    unconfirmed.put(number, publication);
    ShutdownSignalException cause = end;
    if (cause == null) {
      channel.basicPublish(
          parcel.exchange(), parcel.routingKey(), true, parcel.properties(), parcel.body());
      cause = end;
    }
    if (cause != null && unconfirmed.remove(number) != null) {
      publication.answer(outcome(publication, cause));
    }
  }

  /** Asks once for each exchange: to publish to one that is missing would end the channel. */
  boolean hasExchange(String name) throws IOException {
    if (exchanges.contains(name)) {
      return true;
    }
    Channel asking = channel.getConnection().createChannel();
    try {
      asking.exchangeDeclarePassive(name);
      asking.abort();
      return exchanges.add(name);
    } catch (IOException e) {
      if (ConnectionFailures.code(e) == AMQP.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** By its id, wherever it is on its way here: rather sent twice than lost. */
  private void returned(Return returned) {
    String id = returned.getProperties().getMessageId();
    unconfirmed.values().stream()
        .filter(publication -> publication.message().id().toString().equals(id))
        .forEach(Publication::markReturned);
  }

  private void confirmed(long number, boolean allBefore, boolean positive) {
    lastConfirm = System.nanoTime();
    if (!allBefore) {
      answer(unconfirmed.remove(number), positive);
      return;
    }
    for (Map.Entry<Long, Publication> entry : unconfirmed.headMap(number, true).entrySet()) {
      answer(unconfirmed.remove(entry.getKey()), positive);
    }
  }

  private void answer(@Nullable Publication publication, boolean positive) {
    if (publication != null) {
      publication.answer(
          positive
              ? known.confirmed(publication)
              : Outcome.failed(
                  Reason.of(
                      ConnectionFailures.NACKED,
                      "the broker refused it with a nack: a queue is full, or could not store it")));
    }
  }

  private void ended(ShutdownSignalException cause) {
    ConnectionFailures.sizeLimit(cause).ifPresent(known::limit);
    end = cause;
    for (Long number : unconfirmed.keySet()) {
      Publication publication = unconfirmed.remove(number);
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
              "the body has %d bytes, the most is %d"
                  .formatted(publication.size(), limit.getAsLong())));
    }
    return Outcome.unavailable(ConnectionFailures.reason(cause));
  }

  /**
   * Answers what is overdue. If the broker is silent altogether the connection is of no use, and is
   * ended before: one who sends again after the answer must not meet it.
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
    Reason reason = Reason.of(Reason.TIMEOUT, "the broker did not confirm it in time");
    return silent ? Outcome.unavailable(reason) : Outcome.failed(reason);
  }
}

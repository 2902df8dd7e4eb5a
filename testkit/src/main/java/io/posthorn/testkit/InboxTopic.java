package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;

/** One topic of what every store promises to consumers. */
abstract class InboxTopic extends Contract {
  static final Consumer STOCK = new Consumer("stock", false);
  static final Consumer LATEST = new Consumer("stock", true);
  static final Actor SOMEBODY = new Actor("somebody", "a test");
  static final String ORDERS = "orders";
  private static final ServedDestination CONSUMER =
      new ServedDestination(STOCK.name(), Set.of(), Start.NOW, Direction.IN);

  /**
   * Registers the consumer, as its relay does when it starts: nothing is parked for an unknown one.
   */
  @BeforeEach
  void registerConsumer() {
    store().register(APPLICATION, List.of(CONSUMER));
  }

  final InboxStore inbox() {
    return db().inbox();
  }

  final Inbox people() {
    return Inbox.on(db().operator());
  }

  static Received from(String sender, Message message) {
    return new Received(sender, message);
  }

  static Received received(Message message) {
    return from(ORDERS, message);
  }

  /** A message of a key, with its sequence number in the sender's log. */
  static Received sequenced(String key, long sequence) {
    return received(TestMessages.keyed(key, key + sequence).withSequence(sequence));
  }

  static Received withPayload(Received received, String content) {
    return from(received.sender(), received.message().withPayload(content.getBytes(UTF_8)));
  }

  /** A message whose id says that it was created {@code age} ago. */
  static Received aged(Duration age) {
    long millis = Instant.now().minus(age).toEpochMilli();
    long random = ThreadLocalRandom.current().nextLong();
    UUID id = new UUID((millis << 16) | 0x7000, (random & 0x3FFF_FFFF_FFFF_FFFFL) | Long.MIN_VALUE);
    return received(
        Message.of(TestMessages.TYPE).id(id).json(id.toString().getBytes(UTF_8)).build());
  }

  /** Receives in a transaction of its own, and commits it. */
  final List<InboxVerdict> receive(Received... messages) {
    return receive(STOCK, messages);
  }

  final List<InboxVerdict> receive(Consumer consumer, Received... messages) {
    try (OpenTransaction tx = begin()) {
      List<InboxVerdict> verdicts =
          inbox().receive(tx.connection(), consumer, Arrays.asList(messages)).verdicts();
      tx.commit();
      return verdicts;
    }
  }

  /** Above READ COMMITTED, a transaction that waited for another has to be repeated. */
  final List<InboxVerdict> receiveAtLast(List<Received> messages) {
    while (true) {
      try {
        return receive(messages.toArray(new Received[0]));
      } catch (PosthornException e) {
        assertThat(e.getCause())
            .isInstanceOfSatisfying(
                SQLException.class, cause -> assertThat(cause.getSQLState()).isEqualTo("40001"));
      }
    }
  }

  final List<InboxVerdict> handle(Received... messages) {
    return handle(STOCK, messages);
  }

  final List<InboxVerdict> handle(Consumer consumer, Received... messages) {
    try (OpenTransaction tx = begin()) {
      List<InboxVerdict> verdicts =
          inbox().handle(tx.connection(), consumer, Arrays.asList(messages));
      tx.commit();
      return verdicts;
    }
  }

  /** The lane of the consumer, to which no type is routed. */
  final TestLane serveConsumer() {
    TestLane lane = take(STOCK.name());
    lane.state();
    return lane;
  }
}

package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One topic of what every source promises; {@link SourceContract} has all at once. */
public abstract class SourceTopic {
  /** Longer than any server needs to come back, and to be found again. */
  static final Duration RECOVERY = Duration.ofSeconds(90);

  static final Duration TICK = Duration.ofMillis(200);
  final String consumer = "shop-" + UUID.randomUUID();

  @RegisterExtension final ConnectorMatrix matrix = new ConnectorMatrix(() -> server().name());

  private final List<Feed> feeds = new ArrayList<>();
  private SourceFixture fixture;

  @SuppressWarnings("NullAway.Init") // JUnit calls openFixture() first
  protected SourceTopic() {}

  /** A new fixture for one test, which closes it at its end. */
  protected abstract SourceFixture fixture();

  @BeforeEach
  void openFixture() {
    fixture = fixture();
  }

  @AfterEach
  void closeAll() {
    feeds.forEach(Feed::close);
    fixture.close();
  }

  final SourceFixture server() {
    return fixture;
  }

  /** Leaves the test out for servers that cannot do this. */
  final void needs(SourceFixture.Ability ability) {
    Assumptions.assumeTrue(fixture.can().contains(ability), "does not apply");
  }

  final Feed open() {
    Feed feed = fixture.source().open(consumer);
    feeds.add(feed);
    return feed;
  }

  /** Sends {@code count} messages of {@code keys} keys. */
  final List<Message> sent(int count, int keys) {
    List<Message> messages =
        IntStream.range(0, count)
            .mapToObj(i -> TestMessages.keyed("k" + i % keys, "\"content " + i + "\""))
            .toList();
    fixture.send(messages);
    return messages;
  }

  /** Polls once, whatever the server is doing. */
  static List<Received> poll(Feed feed, int most) throws InterruptedException {
    return feed.poll(most, TICK);
  }

  /** Receives, without acknowledging, until all of these have come or the time is over. */
  static List<Received> receive(Feed feed, List<Message> expected, Duration within)
      throws InterruptedException {
    return receive(feed, expected, within, false);
  }

  /** The same, and acknowledges what comes, as a subscription would. */
  static List<Received> handle(Feed feed, List<Message> expected, Duration within)
      throws InterruptedException {
    return receive(feed, expected, within, true);
  }

  private static List<Received> receive(
      Feed feed, List<Message> expected, Duration within, boolean acknowledging)
      throws InterruptedException {
    long until = System.nanoTime() + within.toNanos();
    List<Received> all = new ArrayList<>();
    Set<UUID> missing = new LinkedHashSet<>(ids(expected));
    while (!missing.isEmpty() && System.nanoTime() < until) {
      List<Received> some = poll(feed, 100);
      all.addAll(some);
      some.forEach(received -> missing.remove(received.message().id()));
      if (acknowledging) {
        feed.acknowledge(some);
      }
    }
    assertThat(missing).as("never came").isEmpty();
    return all;
  }

  /** Each key's messages came in the order in which they were sent; copies do not count. */
  static void assertOrder(List<Received> received, List<Message> sent) {
    Set<Key> keys = new LinkedHashSet<>();
    sent.forEach(message -> keys.add(message.key()));
    for (Key key : keys) {
      assertThat(
              received.stream()
                  .map(Received::message)
                  .filter(message -> key.equals(message.key()))
                  .map(Message::id)
                  .distinct())
          .as(key.toString())
          .containsExactlyElementsOf(
              ids(sent.stream().filter(message -> key.equals(message.key())).toList()));
    }
  }

  static List<UUID> ids(List<Message> messages) {
    return messages.stream().map(Message::id).toList();
  }

  static List<UUID> idsOf(List<Received> received) {
    return received.stream().map(one -> one.message().id()).toList();
  }

  /** Polls until the feed asks a person to look. */
  static PosthornException refusal(Feed feed) throws InterruptedException {
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (System.nanoTime() < until) {
      try {
        assertThat(poll(feed, 10)).isEmpty();
      } catch (PosthornException e) {
        return e;
      }
    }
    throw new AssertionError("nothing was refused");
  }
}

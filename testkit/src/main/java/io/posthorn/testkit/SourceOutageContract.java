package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a feed does while its server is at fault, and that it recovers by itself. */
public abstract class SourceOutageContract extends SourceTopic {
  @Test
  void a_feed_finds_a_server_that_was_down_from_the_beginning() throws InterruptedException {
    needs(SourceFixture.Ability.STOP);
    List<Message> messages = sent(20, 2);
    server().stop();
    Feed feed = open();
    assertThat(poll(feed, 10)).isEmpty();
    assertThat(server().source().check(consumer)).anyMatch(Finding::problem);
    server().start();
    assertOrder(handle(feed, messages, RECOVERY), messages);
  }

  @Test
  void a_server_that_restarts_while_receiving_loses_no_message() throws InterruptedException {
    needs(SourceFixture.Ability.STOP);
    List<Message> messages = sent(300, 10);
    Feed feed = open();
    List<Received> received = new ArrayList<>(firstOf(feed));
    List<Received> inHand = poll(feed, 100);
    received.addAll(inHand);
    server().stop();
    feed.acknowledge(inHand);
    assertThat(feed.keep(inHand, TICK)).isSubsetOf(inHand);
    server().start();
    received.addAll(handle(feed, missing(messages, received), RECOVERY));
    assertOrder(received, messages);
  }

  @Test
  void a_connection_that_is_cut_while_receiving_loses_no_message() throws InterruptedException {
    needs(SourceFixture.Ability.CUT);
    List<Message> messages = sent(300, 10);
    Feed feed = open();
    List<Received> received = new ArrayList<>(firstOf(feed));
    List<Received> inHand = poll(feed, 100);
    received.addAll(inHand);
    server().cut();
    feed.acknowledge(inHand);
    received.addAll(handle(feed, missing(messages, received), RECOVERY));
    assertOrder(received, messages);
  }

  @Test
  void a_connection_that_dies_silently_is_given_up_in_time() throws InterruptedException {
    needs(SourceFixture.Ability.SWALLOW);
    Feed feed = open();
    List<Message> messages = new ArrayList<>(sent(5, 1));
    List<Received> received = new ArrayList<>(handle(feed, messages, RECOVERY));
    server().swallow();
    assertThat(poll(feed, 10)).isEmpty();
    server().swallowNoMore();
    List<Message> later = sent(5, 1);
    messages.addAll(later);
    received.addAll(handle(feed, later, RECOVERY));
    assertOrder(received, messages);
  }

  @Test
  void a_missing_address_is_reported_and_is_found_when_it_appears() throws InterruptedException {
    needs(SourceFixture.Ability.LACK_ADDRESS);
    server().removeAddress();
    Feed feed = open();
    PosthornException refusal = refusal(feed);
    assertThat(refusal.code()).isEqualTo(ErrorCode.SOURCE_FAILED);
    assertThat(refusal).hasMessageContaining("NO_ADDRESS");
    assertThat(server().source().check(consumer))
        .anyMatch(finding -> finding.problem() && finding.name().equals("NO_ADDRESS"));
    server().restoreAddress();
    List<Message> messages = sent(5, 1);
    assertOrder(eventually(feed, messages), messages);
  }

  @Test
  void an_address_that_is_removed_and_created_again_is_found() throws InterruptedException {
    needs(SourceFixture.Ability.LACK_ADDRESS);
    Feed feed = open();
    handle(feed, sent(5, 1), RECOVERY);
    server().removeAddress();
    server().restoreAddress();
    List<Message> messages = sent(5, 1);
    assertOrder(eventually(feed, messages), messages);
  }

  @Test
  void wrong_credentials_are_reported() throws InterruptedException {
    needs(SourceFixture.Ability.DENY);
    Source denied = server().denied();
    assertThat(denied.check(consumer))
        .anyMatch(finding -> finding.problem() && finding.name().equals("ACCESS_DENIED"));
    try (Feed feed = denied.open(consumer)) {
      PosthornException refusal = refusal(feed);
      assertThat(refusal.code()).isEqualTo(ErrorCode.SOURCE_FAILED);
      assertThat(refusal).hasMessageContaining("ACCESS_DENIED");
      assertThat(refusal(feed)).as("and again").hasMessageContaining("ACCESS_DENIED");
    }
  }

  private static List<Received> firstOf(Feed feed) throws InterruptedException {
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (System.nanoTime() < until) {
      List<Received> some = poll(feed, 50);
      if (!some.isEmpty()) {
        feed.acknowledge(some);
        return some;
      }
    }
    throw new AssertionError("nothing came");
  }

  private static List<Message> missing(List<Message> messages, List<Received> received) {
    List<Message> missing = new ArrayList<>(messages);
    missing.removeAll(received.stream().map(Received::message).toList());
    return missing;
  }

  /** Receives as a subscription does: a poll that is refused is repeated. */
  private static List<Received> eventually(Feed feed, List<Message> messages)
      throws InterruptedException {
    List<Received> received = new ArrayList<>();
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (!missing(messages, received).isEmpty() && System.nanoTime() < until) {
      try {
        List<Received> some = poll(feed, 100);
        received.addAll(some);
        feed.acknowledge(some);
      } catch (PosthornException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_FAILED);
      }
    }
    return received;
  }
}

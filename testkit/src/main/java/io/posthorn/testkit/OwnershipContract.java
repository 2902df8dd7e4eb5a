package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which feed owns a message, from its poll to its acknowledgement. */
public abstract class OwnershipContract extends SourceTopic {
  private static final Duration A_WHILE = Duration.ofSeconds(2);

  @Test
  void an_acknowledged_message_does_not_come_again() throws InterruptedException {
    Feed first = open();
    handle(first, sent(50, 5), RECOVERY);
    first.close();
    List<Message> later = sent(1, 1);
    assertThat(idsOf(handle(open(), later, RECOVERY))).isEqualTo(ids(later));
  }

  @Test
  void an_unacknowledged_message_comes_again_to_another_feed() throws InterruptedException {
    List<Message> messages = sent(50, 5);
    Feed first = open();
    receive(first, messages, RECOVERY);
    first.close();
    List<Received> again = handle(open(), messages, RECOVERY);
    assertOrder(again, messages);
  }

  @Test
  void acknowledging_some_messages_leaves_the_others_to_come_again() throws InterruptedException {
    List<Message> messages = sent(40, 1);
    Feed first = open();
    List<Received> received = receive(first, messages, RECOVERY);
    List<Received> some = new ArrayList<>();
    for (int i = 0; i < received.size(); i++) {
      if (i < 10 || i % 3 == 0) {
        some.add(received.get(i));
      }
    }
    first.acknowledge(some);
    first.close();
    List<Message> left = new ArrayList<>(messages);
    left.removeAll(some.stream().map(Received::message).toList());
    List<Received> again = handle(open(), left, RECOVERY);
    assertThat(idsOf(again)).doesNotContainAnyElementsOf(ids(messages.subList(0, 10)));
  }

  @Test
  void two_feeds_of_a_consumer_share_out_the_messages() throws InterruptedException {
    Feed one = open();
    Feed two = open();
    Set<UUID> ofOne = new HashSet<>();
    Set<UUID> ofTwo = new HashSet<>();
    Set<UUID> sent = new HashSet<>();
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (System.nanoTime() < until
        && (ofOne.isEmpty() || ofTwo.isEmpty() || ofOne.size() + ofTwo.size() < sent.size())) {
      if (ofOne.isEmpty() || ofTwo.isEmpty()) {
        sent.addAll(ids(sent(20, 20)));
      }
      turn(one, ofOne);
      turn(two, ofTwo);
    }
    assertThat(ofOne).isNotEmpty();
    assertThat(ofTwo).isNotEmpty();
    Set<UUID> all = new HashSet<>(ofOne);
    all.addAll(ofTwo);
    assertThat(all).isEqualTo(sent);
  }

  private static void turn(Feed feed, Set<UUID> seen) throws InterruptedException {
    List<Received> some = poll(feed, 50);
    feed.acknowledge(some);
    seen.addAll(idsOf(some));
  }

  @Test
  void acknowledging_messages_of_another_feed_has_no_effect() throws InterruptedException {
    List<Message> messages = sent(20, 2);
    Feed first = open();
    List<Received> old = receive(first, messages, RECOVERY);
    first.close();
    Feed second = open();
    receive(second, messages, RECOVERY);
    second.acknowledge(old);
    second.acknowledge(List.of(new Received("nobody", messages.get(0))));
    second.close();
    handle(open(), messages, RECOVERY);
  }

  @Test
  void a_feed_keeps_its_messages_and_loses_none_that_come_meanwhile() throws InterruptedException {
    List<Message> messages = sent(10, 2);
    Feed feed = open();
    List<Received> received = receive(feed, messages, RECOVERY);
    List<Message> meanwhile = sent(10, 2);
    long start = System.nanoTime();
    assertThat(feed.keep(received, A_WHILE)).isEqualTo(received);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(A_WHILE);
    feed.acknowledge(received);
    List<Received> rest = handle(feed, meanwhile, RECOVERY);
    assertThat(idsOf(rest)).containsExactlyInAnyOrderElementsOf(ids(meanwhile));
    assertOrder(rest, meanwhile);
  }

  @Test
  void keep_reports_messages_that_the_broker_took_back_and_they_come_again()
      throws InterruptedException {
    needs(SourceFixture.Ability.TAKE_BACK);
    List<Message> messages = sent(10, 2);
    Feed feed = open();
    List<Received> received = receive(feed, messages, RECOVERY);
    server().takeBack(consumer);
    long until = System.nanoTime() + RECOVERY.toNanos();
    List<Received> kept = received;
    while (!kept.isEmpty() && System.nanoTime() < until) {
      kept = feed.keep(kept, A_WHILE);
    }
    assertThat(kept).isEmpty();
    feed.acknowledge(received);
    List<Received> again = handle(feed, messages, RECOVERY);
    assertOrder(again, messages);
  }

  @Test
  void messages_that_a_killed_program_held_come_to_another() throws InterruptedException {
    needs(SourceFixture.Ability.KILL);
    List<Message> messages = sent(50, 5);
    server().receiveAndDie(consumer);
    List<Received> received = handle(open(), messages, server().takeover().plus(RECOVERY));
    assertOrder(received, messages);
  }
}

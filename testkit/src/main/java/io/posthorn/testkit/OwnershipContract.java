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

/** Whose a message is, from when it was polled until it was acknowledged. */
public abstract class OwnershipContract extends SourceTopic {
  private static final Duration A_WHILE = Duration.ofSeconds(2);

  @Test
  void what_was_acknowledged_does_not_come_again() throws InterruptedException {
    Feed first = open();
    handle(first, sent(50, 5), RECOVERY);
    first.close();
    List<Message> later = sent(1, 1);
    assertThat(idsOf(handle(open(), later, RECOVERY))).isEqualTo(ids(later));
  }

  @Test
  void what_was_not_acknowledged_comes_again_to_another_feed() throws InterruptedException {
    List<Message> messages = sent(50, 5);
    Feed first = open();
    receive(first, messages, RECOVERY);
    first.close();
    List<Received> again = handle(open(), messages, RECOVERY);
    assertOrder(again, messages);
  }

  @Test
  void acknowledging_some_leaves_the_others_to_come_again() throws InterruptedException {
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
  void acknowledging_what_is_not_its_own_harms_nothing() throws InterruptedException {
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
  void what_is_kept_stays_its_own_and_what_comes_meanwhile_is_not_lost()
      throws InterruptedException {
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
  void what_is_taken_back_is_told_by_keep_and_comes_again() throws InterruptedException {
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
  void what_a_killed_program_held_comes_to_another() throws InterruptedException {
    needs(SourceFixture.Ability.KILL);
    List<Message> messages = sent(50, 5);
    server().receiveAndDie(consumer);
    List<Received> received = handle(open(), messages, server().takeover().plus(RECOVERY));
    assertOrder(received, messages);
  }
}

package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sent messages can be sent again: a selection, or everything since a time. */
public abstract class SendAgainContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the receiver lost its data");
  private static final SentQuery TO_SHOP = SentQuery.to(SHOP);

  private Operations operations() {
    return Operations.on(db().operator());
  }

  private Operation run(Plan plan) {
    Operation started = operations().start(plan, ANNA);
    while (store().runOperations().filter(Duration::isZero).isPresent()) {
      // The next step.
    }
    return operations().find(started.id()).orElseThrow();
  }

  private TestLane allSent(Message... messages) {
    TestLane shop = serve(SHOP);
    commit(messages);
    shop.drain();
    return shop;
  }

  /** The messages that are sent again, in order. */
  private static List<String> arrivals(TestLane shop) {
    List<String> all = new ArrayList<>();
    for (List<Delivery> due = shop.parked(); !due.isEmpty(); due = shop.parked()) {
      shop.settle(due.stream().map(Moves::sent).toArray(Move[]::new));
      all.addAll(contents(due));
    }
    return all;
  }

  private Instant recordedAt(UUID id) {
    return store().find(id).orElseThrow().recordedAt();
  }

  @Test
  void sent_messages_are_sent_again_in_order_and_their_outcomes_are_counted() {
    TestLane shop = allSent(keyed("k", "1"), keyed("k", "2"), keyed("l", "3"), message("4"));
    assertThat(operations().preview(Plan.resend(TO_SHOP)).count()).isEqualTo(4);
    Operation ended = run(Plan.resend(TO_SHOP));
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.done()).isEqualTo(4);
    assertThat(arrivals(shop))
        .containsExactlyInAnyOrder("1", "2", "3", "4")
        .containsSubsequence("1", "2");
    assertThat(operations().find(ended.id()).orElseThrow().sent()).isEqualTo(4);
  }

  @Test
  void a_repeated_settle_of_parked_messages_leaves_newly_parked_ones_alone() {
    TestLane shop = allSent(keyed("k", "1"));
    run(Plan.resend(TO_SHOP));
    Settlement settlement = shop.settlement(List.of(), sent(shop.parked().get(0)));
    shop.settle(settlement);
    // The relay did not get the answer, and meanwhile a person sends the message once more.
    assertThat(run(Plan.resend(TO_SHOP)).done()).isEqualTo(1);
    shop.settle(settlement);
    assertThat(arrivals(shop)).containsExactly("1");
  }

  @Test
  void a_settle_of_parked_messages_fails_if_another_wrote_progress_after_it() {
    TestLane shop = allSent(keyed("k", "1"));
    run(Plan.resend(TO_SHOP));
    Settlement settlement = shop.settlement(List.of(), sent(shop.parked().get(0)));
    shop.settle(settlement);
    run(Plan.resend(TO_SHOP));
    assertThat(arrivals(shop)).containsExactly("1");
    run(Plan.resend(TO_SHOP));
    assertThatThrownBy(() -> shop.settle(settlement)).isInstanceOf(LaneLostException.class);
    assertThat(arrivals(shop)).containsExactly("1");
  }

  @Test
  void sent_messages_are_selected_by_type_key_id_and_time() {
    Message old = keyed("k", "old");
    TestLane shop = allSent(old);
    db().pass(Duration.ofHours(2));
    Message young = keyed("k", "young");
    commit(young, keyed("l", "other key"), typed("Other", "other type"));
    shop.drain();
    Instant between = recordedAt(young.id()).minusSeconds(60);
    assertThat(run(Plan.resend(TO_SHOP.ofKey(key("l")))).done()).isEqualTo(1);
    assertThat(arrivals(shop)).containsExactly("other key");
    run(Plan.resend(TO_SHOP.ofType("Other")));
    assertThat(arrivals(shop)).containsExactly("other type");
    run(Plan.resend(TO_SHOP.only(List.of(old.id()))));
    assertThat(arrivals(shop)).containsExactly("old");
    run(Plan.resend(TO_SHOP.ofKey(key("k")).between(between, null)));
    assertThat(arrivals(shop)).containsExactly("young");
    run(Plan.resend(TO_SHOP.between(null, between)));
    assertThat(arrivals(shop)).containsExactly("old");
    assertThat(run(Plan.resend(TO_SHOP.only(List.of(UUID.randomUUID())))).done()).isZero();
  }

  @Test
  void unsent_messages_are_not_sent_again() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"), message("3"), message("4"));
    Batch first = shop.batch(atMost(2));
    shop.settle(shop.partly(List.of(first), first.deliveries().get(0).seq(), List.of()));
    Operation ended = run(Plan.resend(TO_SHOP));
    assertThat(ended.done()).isEqualTo(1);
    assertThat(arrivals(shop)).containsExactly("1");
    assertThat(shop.drain()).containsExactly("2", "3", "4");
  }

  @Test
  void parked_and_dead_messages_are_not_sent_again() {
    TestLane shop = serve(SHOP);
    commit(message("parked"), message("dead"), message("sent"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        retry(batch.deliveries().get(0), 1, Duration.ofHours(1)),
        die(batch.deliveries().get(1), 1, AfterDead.CONTINUE));
    assertThat(run(Plan.resend(TO_SHOP)).done()).isEqualTo(1);
    assertThat(arrivals(shop)).containsExactly("sent");
  }

  @Test
  void a_sent_message_is_refused_and_counted_while_another_with_its_id_is_parked() {
    TestLane shop = serve(SHOP);
    Message first = message("parked");
    commit(first, first.withPayload("sent".getBytes(UTF_8)));
    Batch batch = shop.batch();
    shop.settle(batch, retry(batch.deliveries().get(0), 1, Duration.ofHours(1)));
    assertThat(operations().preview(Plan.resend(TO_SHOP)).count()).isEqualTo(1);
    Operation ended = run(Plan.resend(TO_SHOP));
    assertThat(ended.done()).isZero();
    assertThat(ended.refused()).isEqualTo(1);
    assertThat(db().parked(SHOP))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("parked");
  }

  @Test
  void a_sent_message_is_sent_again_even_if_another_with_its_id_is_dead() {
    TestLane shop = serve(SHOP);
    Message first = message("dead");
    commit(first, first.withPayload("sent".getBytes(UTF_8)));
    Batch batch = shop.batch();
    shop.settle(batch, die(batch.deliveries().get(0), 1, AfterDead.CONTINUE));
    assertThat(run(Plan.resend(TO_SHOP)).done()).isEqualTo(1);
    assertThat(arrivals(shop)).containsExactly("sent");
  }

  @Test
  void a_message_still_being_sent_again_is_not_parked_twice() {
    TestLane shop = allSent(message("1"), message("2"));
    run(Plan.resend(TO_SHOP));
    assertThat(run(Plan.resend(TO_SHOP)).done()).isZero();
    assertThat(arrivals(shop)).hasSize(2);
  }

  @Test
  void messages_sent_again_go_before_the_waiting_messages_of_their_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    Delivery second = batch.deliveries().get(1);
    shop.settle(batch, retry(second, 1, Duration.ofHours(1)));
    run(Plan.resend(TO_SHOP));
    assertThat(contents(shop.parked())).containsExactly("1");
    shop.settle(sent(shop.parked().get(0)), sent(second.asParked()));
    assertThat(shop.parked()).isEmpty();
  }

  @Test
  void earlier_attempts_stay_numbered_and_do_not_count_against_the_retries() {
    TestLane shop = allSent(message("1"));
    run(Plan.resend(TO_SHOP));
    Delivery again = shop.parked().get(0);
    assertThat(again.attempts()).isEqualTo(1);
    assertThat(again.attemptsBefore()).isEqualTo(1);
    shop.settle(retry(again, 2, Duration.ZERO));
    assertThat(db().attempts(SHOP, again.message().id()))
        .extracting(TestDatabase.Attempt::number)
        .containsExactly(2);
  }

  @Test
  void only_a_rewind_sends_messages_from_before_the_destination() {
    Message old = message("old");
    allSent(old);
    db().pass(Duration.ofHours(2));
    Message young = message("young");
    commit(young);
    TestLane mail = serve("mail");
    commit(message("its own"));
    assertThat(mail.drain()).containsExactly("its own");
    assertThat(run(Plan.resend(SentQuery.to("mail"))).done()).isEqualTo(1);
    assertThat(arrivals(mail)).containsExactly("its own");
    Instant between = recordedAt(young.id()).minusSeconds(60);
    assertThat(run(Plan.rewind("mail", between)).done()).isEqualTo(2);
    assertThat(arrivals(mail)).containsExactlyInAnyOrder("young", "its own");
    assertThat(run(Plan.rewind("mail", Instant.EPOCH)).done()).isEqualTo(3);
  }

  @Test
  void sending_again_to_one_destination_sends_nothing_to_others() {
    TestLane mail = serve("mail");
    TestLane shop = allSent(message("1"));
    mail.drain();
    run(Plan.resend(TO_SHOP));
    assertThat(mail.parked()).isEmpty();
    assertThat(arrivals(shop)).hasSize(1);
  }

  @Test
  void messages_committed_during_a_rewind_come_after_all_that_are_sent_again() {
    TestLane shop = allSent(many(1_500));
    Operation started = operations().start(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    store().runOperations();
    assertThat(operations().find(started.id()).orElseThrow().done()).isBetween(1L, 1_499L);
    commit(keyed("k", "new"));
    assertThat(shop.claim(TestLane.ALL).batch()).isNull();
    while (store().runOperations().isPresent()) {
      // The next step.
    }
    assertThat(operations().find(started.id()).orElseThrow().done()).isEqualTo(1_500);
    Batch next = shop.batch();
    assertThat(contents(next.deliveries())).containsExactly("new");
    assertThat(next.blocked()).containsExactly(key("k"));
  }

  @Test
  void a_rewound_destination_has_news_only_at_the_end_of_the_rewind() {
    TestLane shop = allSent(many(1_500));
    Operation started = operations().start(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    store().runOperations();
    assertThat(rewoundBy()).isEqualTo(started.id());
    Head seen = shop.claim(TestLane.ALL).state().head();
    commit(keyed("k", "new"));
    assertThat(store().head().newsSince(seen)).isFalse();
    assertThat(store().look(Set.of(SHOP)).head().newsSince(seen)).isFalse();
    while (store().runOperations().isPresent()) {
      // The next step.
    }
    assertThat(rewoundBy()).isNull();
    assertThat(store().look(Set.of(SHOP)).head().newsSince(seen)).isTrue();
  }

  private @Nullable UUID rewoundBy() {
    return db().operator().destinations().stream()
        .filter(status -> status.name().equals(SHOP))
        .findFirst()
        .orElseThrow()
        .rewoundBy();
  }

  @Test
  void messages_in_hand_when_a_rewind_begins_arrive_first_and_come_again() {
    TestLane shop = allSent(keyed("k", "1"));
    commit(keyed("k", "2"), keyed("k", "3"));
    Batch inHand = shop.batch(atMost(1));
    Operation started = operations().start(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    store().runOperations();
    assertThat(shop.parked()).isEmpty();
    shop.settle(shop.partly(List.of(inHand), inHand.end(), List.of()));
    assertThat(shop.drain()).containsExactly("3");
    while (store().runOperations().filter(Duration::isZero).isPresent()) {
      // The next step.
    }
    assertThat(operations().find(started.id()).orElseThrow().state()).isEqualTo(State.DONE);
    assertThat(arrivals(shop)).containsExactly("1", "2", "3");
  }

  @Test
  void a_destination_whose_rewind_is_stopped_continues() {
    TestLane shop = allSent(many(1_500));
    Operation started = operations().start(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    assertThatThrownBy(() -> operations().start(Plan.rewind(SHOP, Instant.EPOCH), ANNA))
        .hasMessageContaining("another operation is rewinding it");
    operations().stop(started.id(), ANNA);
    commit(message("new"));
    assertThat(shop.drain()).containsExactly("new");
    operations().resume(started.id(), ANNA);
    while (store().runOperations().isPresent()) {
      // The next step.
    }
    assertThat(operations().find(started.id()).orElseThrow().done()).isEqualTo(1_501);
  }

  private static Message[] many(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> keyed("k", Integer.toString(i)))
        .toArray(Message[]::new);
  }
}

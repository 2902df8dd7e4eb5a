package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a person can do with dead letters: find them, put them back on their way, give them up. */
public abstract class RescueContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the receiver is fixed");

  private DeadLetters letters() {
    return DeadLetters.on(db().operator());
  }

  private List<DeadLetter> waiting() {
    return letters().list(DeadLetterQuery.waiting(), null, 100);
  }

  private DeadLetter only() {
    assertThat(waiting()).hasSize(1);
    return waiting().get(0);
  }

  private DeadLetterDetail detail(UUID id) {
    return letters().find(id).orElseThrow();
  }

  /** All of these die for the shop, each at its first attempt. */
  private TestLane allDie(AfterDead afterDead, Message... messages) {
    TestLane shop = serve(SHOP);
    commit(messages);
    Batch batch = shop.batch();
    shop.settle(
        batch,
        batch.deliveries().stream()
            .map(delivery -> die(delivery, 1, afterDead))
            .toArray(Move[]::new));
    return shop;
  }

  @Test
  void a_dead_letter_is_found_with_all_that_is_known_of_it() {
    allDie(AfterDead.CONTINUE, keyed("k", "1"));
    DeadLetter letter = only();
    assertThat(letter.destination()).isEqualTo(SHOP);
    assertThat(letter.key()).isEqualTo(TestMessages.key("k"));
    assertThat(letter.state()).isEqualTo(DeadLetter.State.DEAD);
    assertThat(letter.lastReason()).isEqualTo(Moves.REASON.code());
    assertThat(letter.fingerprint()).hasSize(16);
    DeadLetterDetail detail = detail(letter.id());
    assertThat(TestMessages.content(detail.message())).isEqualTo("1");
    assertThat(detail.stack()).isEqualTo(Moves.REASON.stack());
    assertThat(detail.history()).extracting(Attempt::number).containsExactly(1);
    assertThat(letters().find(UUID.randomUUID())).isEmpty();
  }

  @Test
  void letters_are_found_and_counted_by_every_part_of_a_query() {
    allDie(AfterDead.CONTINUE, keyed("k", "1"), keyed("l", "2"), message("3"));
    DeadLetter one = waiting().get(0);
    for (DeadLetterQuery.Builder query :
        List.of(
            DeadLetterQuery.builder().key("k"),
            DeadLetterQuery.builder().key("k").destination(SHOP).type(one.type()),
            DeadLetterQuery.builder().messageId(one.messageId()),
            DeadLetterQuery.builder().key("k").reason(one.lastReason()),
            DeadLetterQuery.builder().key("k").reason(one.reason()),
            DeadLetterQuery.builder().key("k").fingerprint(one.fingerprint()),
            DeadLetterQuery.builder().key("k").from(one.createdAt()),
            DeadLetterQuery.builder()
                .key("k")
                .error(one.error().substring(1, 4).toUpperCase(Locale.ROOT)))) {
      assertThat(letters().list(query.build(), null, 10))
          .extracting(DeadLetter::id)
          .containsExactly(one.id());
      assertThat(letters().count(query.build())).isEqualTo(1);
    }
    for (DeadLetterQuery.Builder query :
        List.of(
            DeadLetterQuery.builder().key("m"),
            DeadLetterQuery.builder().destination("mail"),
            DeadLetterQuery.builder().type("None"),
            DeadLetterQuery.builder().reason("NONE"),
            DeadLetterQuery.builder().aggregateType("None"),
            DeadLetterQuery.builder().to(one.createdAt()),
            DeadLetterQuery.builder().error("no such text"),
            DeadLetterQuery.builder().header("correlation-id", "none"),
            DeadLetterQuery.builder().states(Set.of(DeadLetter.State.DISCARDED)))) {
      assertThat(letters().list(query.build(), null, 10)).isEmpty();
      assertThat(letters().count(query.build())).isZero();
    }
  }

  @Test
  void lists_counts_and_groups_find_an_error_by_any_text_in_it() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        dies(batch.deliveries().get(0), "100% of_a C:\\dir 'ÄB'"),
        dies(batch.deliveries().get(1), "1000 ofxa C:/dir"));
    for (String text : List.of("100%", "OF_A", "c:\\DIR", "'Äb'", "% of_a c:\\")) {
      DeadLetterQuery query = DeadLetterQuery.builder().error(text).build();
      assertThat(letters().list(query, null, 10)).as(text).hasSize(1);
      assertThat(letters().count(query)).as(text).isEqualTo(1);
      assertThat(letters().causes(query, 10)).as(text).hasSize(1);
      assertThat(letters().causes(query, 10).get(0).letters()).as(text).isEqualTo(1);
    }
    DeadLetterQuery folded = DeadLetterQuery.builder().error("äb").build();
    assertThat(letters().count(folded)).as("only A to Z are folded").isZero();
    assertThat(letters().causes(folded, 10)).isEmpty();
  }

  private static Move dies(Delivery delivery, String error) {
    return new Move.Die(delivery, 1, "HTTP_400", Reason.of("HTTP_400", error), AfterDead.CONTINUE);
  }

  @Test
  void pages_of_letters_go_on_where_the_one_before_ended() {
    allDie(AfterDead.CONTINUE, message("1"), message("2"), message("3"), message("4"));
    List<DeadLetter> all = waiting();
    List<DeadLetter> first = letters().list(DeadLetterQuery.waiting(), null, 3);
    List<DeadLetter> rest = letters().list(DeadLetterQuery.waiting(), first.get(2), 3);
    assertThat(first).containsExactlyElementsOf(all.subList(0, 3));
    assertThat(rest).containsExactlyElementsOf(all.subList(3, 4));
  }

  @Test
  void a_requeued_message_goes_before_the_waiting_messages_of_its_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        die(all.get(0), 1, AfterDead.CONTINUE),
        retry(all.get(1), 1, Duration.ZERO),
        turn(all.get(2)));
    UUID letter = only().id();
    Rescued rescued = letters().requeue(List.of(letter), Requeue.SAME, ANNA);
    assertThat(rescued).isEqualTo(new Rescued(1, Map.of()));
    List<Delivery> parked = shop.parked();
    assertThat(contents(parked)).containsExactly("1", "2", "3");
    assertThat(parked.get(0).message().id()).isEqualTo(all.get(0).message().id());
    shop.settle(sent(parked.get(0)), sent(parked.get(1)), sent(parked.get(2)));
    DeadLetter after = detail(letter).letter();
    assertThat(after.state()).isEqualTo(DeadLetter.State.REQUEUED);
    assertThat(after.outcome()).isEqualTo(DeadLetter.Outcome.SENT);
    assertThat(after.outcomeAt()).isNotNull();
    assertThat(waiting()).isEmpty();
    assertThat(letters().figures(7).successShare()).isEqualTo(1);
  }

  @Test
  void requeued_letters_keep_their_order_among_themselves() {
    TestLane shop = allDie(AfterDead.CONTINUE, keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
    List<UUID> newestFirst =
        waiting().stream().map(DeadLetter::id).sorted(Comparator.reverseOrder()).toList();
    letters().requeue(newestFirst, Requeue.SAME, ANNA);
    assertThat(contents(shop.parked())).containsExactly("1", "2", "3");
  }

  @Test
  void attempts_before_a_requeue_stay_on_record_and_no_longer_count() {
    TestLane shop = allDie(AfterDead.CONTINUE, message("1"));
    UUID first = only().id();
    letters().requeue(List.of(first), Requeue.SAME, ANNA);
    Delivery again = shop.parked().get(0);
    assertThat(again.attempts()).isEqualTo(1);
    assertThat(again.attemptsBefore()).isEqualTo(1);
    assertThat(again.failingFor()).isZero();
    shop.settle(die(again, 2, AfterDead.CONTINUE));
    assertThat(detail(first).letter().outcome()).isEqualTo(DeadLetter.Outcome.DEAD);
    DeadLetterDetail second = detail(only().id());
    assertThat(second.previous()).isEqualTo(first);
    assertThat(second.history()).extracting(Attempt::number).containsExactly(1, 2);
    assertThat(letters().figures(7).successShare()).isZero();
  }

  @Test
  void a_letter_sent_once_gets_a_single_attempt_and_has_the_state_sent() {
    TestLane shop = allDie(AfterDead.CONTINUE, message("1"));
    UUID letter = only().id();
    letters().sendOnce(List.of(letter), ANNA);
    Delivery once = shop.parked().get(0);
    assertThat(once.once()).isTrue();
    shop.settle(sent(once));
    assertThat(detail(letter).letter().state()).isEqualTo(DeadLetter.State.SENT);
  }

  @Test
  void a_corrected_payload_is_sent_and_the_letter_keeps_the_old_one() {
    TestLane shop = allDie(AfterDead.CONTINUE, message("wrong"));
    UUID letter = only().id();
    letters()
        .requeue(
            List.of(letter),
            Requeue.SAME.withNewId().withPayload("\"right\"".getBytes(UTF_8)),
            ANNA);
    Delivery corrected = shop.parked().get(0);
    assertThat(TestMessages.content(corrected.message())).isEqualTo("\"right\"");
    DeadLetterDetail detail = detail(letter);
    assertThat(TestMessages.content(detail.message())).isEqualTo("wrong");
    assertThat(corrected.message().id())
        .isNotEqualTo(detail.message().id())
        .isEqualTo(detail.letter().requeuedAs());
  }

  @Test
  void a_payload_can_be_corrected_for_one_letter_at_a_time() {
    allDie(AfterDead.CONTINUE, message("1"), message("2"));
    List<UUID> both = waiting().stream().map(DeadLetter::id).toList();
    Requeue corrected = Requeue.SAME.withPayload("x".getBytes(UTF_8));
    assertThatThrownBy(() -> letters().requeue(both, corrected, ANNA))
        .hasMessageStartingWith(ErrorCode.INVALID_REQUEST.text())
        .hasMessageContaining("one letter");
    assertThat(waiting()).hasSize(2);
  }

  @Test
  void a_letter_that_no_longer_waits_is_refused_and_the_others_are_not() {
    allDie(AfterDead.CONTINUE, message("1"), message("2"));
    List<UUID> both = waiting().stream().map(DeadLetter::id).toList();
    letters().discard(both.subList(0, 1), ANNA);
    UUID unknown = UUID.randomUUID();
    Rescued rescued =
        letters().requeue(List.of(both.get(0), both.get(1), unknown), Requeue.SAME, ANNA);
    assertThat(rescued.done()).isEqualTo(1);
    assertThat(rescued.refused().get(both.get(0))).contains("DISCARDED");
    assertThat(rescued.refused().get(unknown)).contains("no letter with this id");
  }

  @Test
  void a_key_held_by_a_letter_goes_on_when_a_person_decides_about_it() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("l", "3"), keyed("l", "4"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        die(all.get(0), 1, AfterDead.HOLD),
        turn(all.get(1)),
        die(all.get(2), 1, AfterDead.HOLD),
        turn(all.get(3)));
    assertThat(shop.parked()).isEmpty();
    UUID ofK = letters().list(DeadLetterQuery.builder().key("k").build(), null, 1).get(0).id();
    UUID ofL = letters().list(DeadLetterQuery.builder().key("l").build(), null, 1).get(0).id();
    letters().discard(List.of(ofK), ANNA);
    assertThat(contents(shop.parked())).containsExactly("2");
    letters().requeue(List.of(ofL), Requeue.SAME, ANNA);
    assertThat(contents(shop.parked())).containsExactlyInAnyOrder("2", "3", "4");
  }

  @Test
  void letters_of_one_cause_are_one_group() {
    allDie(AfterDead.CONTINUE, keyed("k", "1"), keyed("l", "2"));
    var causes = letters().causes(DeadLetterQuery.waiting(), 10);
    assertThat(causes).hasSize(1);
    assertThat(causes.get(0).letters()).isEqualTo(2);
    assertThat(causes.get(0).destinations()).containsExactly(SHOP);
    assertThat(causes.get(0).error()).isEqualTo(Moves.REASON.text());
    assertThat(causes.get(0).perDay().values()).containsExactly(2L);
  }

  @Test
  void notes_about_a_cause_stay_after_its_letters_are_removed() {
    allDie(AfterDead.CONTINUE, message("1"));
    String cause = only().fingerprint();
    letters().note(cause, "the shop was closed", "team-b", ANNA);
    letters().note(cause, null, "team-c", ANNA);
    CauseNote note =
        Objects.requireNonNull(letters().causes(DeadLetterQuery.waiting(), 1).get(0).note());
    assertThat(note.note()).isEqualTo("the shop was closed");
    assertThat(note.owner()).isEqualTo("team-c");
    assertThat(note.who()).isEqualTo("anna");
    letters().discard(List.of(only().id()), ANNA);
    assertThat(letters().noteOf(cause)).contains(note);
    assertThat(letters().noteOf("beef")).isEmpty();
    assertThatThrownBy(() -> letters().note("beef", "n", null, ANNA))
        .hasMessageContaining("no dead letter with cause 'beef'");
    AuditEntry second = Audit.on(db().operator()).after(1, 1).get(0);
    assertThat(second.action()).isEqualTo("cause.note");
    assertThat(second.before()).contains("team-b");
    assertThat(second.after()).contains("team-c", "the shop was closed");
  }

  @Test
  void figures_count_the_waiting_letters_by_reason_type_and_day() {
    allDie(AfterDead.CONTINUE, message("1"), message("2"));
    var figures = letters().figures(7);
    assertThat(figures.waiting()).isEqualTo(2);
    assertThat(figures.oldest()).isEqualTo(waiting().get(0).createdAt());
    assertThat(figures.byReason()).containsEntry(Moves.REASON.code(), 2L);
    assertThat(figures.byType().values()).containsExactly(2L);
    assertThat(figures.perDay().values()).containsExactly(2L);
  }

  @Test
  void younger_messages_that_were_already_sent_are_counted() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"), keyed("l", "4"));
    Batch batch = shop.batch();
    shop.settle(batch, die(batch.deliveries().get(0), 1, AfterDead.CONTINUE));
    assertThat(detail(only().id()).youngerOut()).isEqualTo(2);
  }

  @Test
  void every_rescue_is_audited_with_its_actor_its_reason_and_the_change() {
    allDie(AfterDead.CONTINUE, message("wrong"), message("2"), message("3"));
    List<DeadLetter> all = waiting();
    letters()
        .requeue(
            List.of(all.get(0).id()), Requeue.SAME.withPayload("\"right\"".getBytes(UTF_8)), ANNA);
    letters().discard(List.of(all.get(1).id(), all.get(2).id()), new Actor("ben", "a test order"));
    List<AuditEntry> audit = Audit.on(db().operator()).after(0, 10);
    assertThat(audit)
        .extracting(AuditEntry::action)
        .containsExactly("dead.requeue", "dead.discard", "dead.discard");
    assertThat(audit.get(0).who()).isEqualTo("anna");
    assertThat(audit.get(0).target()).contains(all.get(0).id().toString());
    assertThat(audit.get(0).before()).contains("sha-256").isNotEqualTo(audit.get(0).after());
    assertThat(audit.get(1).why()).isEqualTo("a test order");
    assertThat(Audit.on(db().operator()).verify().broken()).isEmpty();
    assertThat(Audit.on(db().operator()).verify().entries()).isEqualTo(3);
  }

  @Test
  void a_rescue_needs_an_actor_and_a_reason() {
    assertThatThrownBy(() -> new Actor("anna", " ")).hasMessageContaining("the reason is missing");
    assertThatThrownBy(() -> new Actor("", "why")).hasMessageContaining("who acts is missing");
  }
}

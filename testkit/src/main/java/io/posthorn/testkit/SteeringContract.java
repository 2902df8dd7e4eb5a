package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a person can do while messages are on their way. */
public abstract class SteeringContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the receiver asked for it");
  private static final Duration HOUR = Duration.ofHours(1);

  private Steering steering() {
    return Steering.on(db().operator());
  }

  private DestinationStatus status() {
    return steering().destinations().stream()
        .filter(status -> status.name().equals(SHOP))
        .findFirst()
        .orElseThrow();
  }

  private List<String> actions() {
    return Audit.on(db().operator()).after(0, 100).stream().map(AuditEntry::action).toList();
  }

  @Test
  void a_paused_destination_shows_who_paused_it_and_why_and_gets_nothing() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThat(steering().pause(SHOP, ANNA)).isTrue();
    assertThat(steering().pause(SHOP, ANNA)).as("again").isFalse();
    Pause pause = Objects.requireNonNull(status().pause());
    assertThat(pause.who()).isEqualTo("anna");
    assertThat(pause.why()).isEqualTo(ANNA.why());
    assertThat(pause.scope()).isEqualTo(Scope.destination(SHOP));
    assertThat(shop.claim(ALL).batch()).isNull();
    assertThat(steering().resume(SHOP, ANNA)).isTrue();
    assertThat(status().pause()).isNull();
    assertThat(contents(shop.batch().deliveries())).containsExactly("1");
    assertThat(actions()).containsExactly("destination.pause", "destination.resume");
  }

  @Test
  void a_rate_limit_can_be_set_and_removed() {
    TestLane shop = serve(SHOP);
    assertThat(steering().limit(SHOP, 2.5, ANNA)).isTrue();
    assertThat(shop.claim(ALL).state().ratePerSecond()).isEqualTo(2.5);
    assertThat(status().ratePerSecond()).isEqualTo(2.5);
    assertThat(steering().limit(SHOP, null, ANNA)).isTrue();
    assertThat(shop.claim(ALL).state().ratePerSecond()).isNull();
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::before, AuditEntry::after)
        .containsExactly(
            tuple("as configured", "2.5 a second"), tuple("2.5 a second", "as configured"));
    assertThatThrownBy(() -> steering().limit(SHOP, 0.0, ANNA))
        .hasMessageContaining("not a valid rate");
  }

  @Test
  void the_error_for_an_unknown_destination_lists_the_known_ones() {
    serve(SHOP);
    assertThatThrownBy(() -> steering().pause("shoop", ANNA))
        .hasMessageContaining("no destination 'shoop'")
        .hasMessageContaining(SHOP);
  }

  @Test
  void parked_messages_are_listed_by_their_heads() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"), message("4"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        retry(all.get(0), 2, HOUR),
        turn(all.get(1)),
        turn(all.get(2)),
        retry(all.get(3), 1, HOUR.multipliedBy(2)));
    List<ParkedMessage> parked = steering().parked(SHOP, null, 10);
    assertThat(parked).extracting(ParkedMessage::behind).containsExactly(2L, 0L);
    assertThat(parked.get(0).key()).isEqualTo(key("k"));
    assertThat(parked.get(0).waiting()).isEqualTo(Waiting.RETRY);
    assertThat(parked.get(0).attempts()).isEqualTo(2);
    assertThat(parked.get(0).lastReason()).isEqualTo(Moves.REASON.code());
    assertThat(status().parked()).isEqualTo(4);
  }

  @Test
  void pages_of_heads_show_each_head_once_with_those_without_a_time_at_the_end() {
    TestLane shop = serve(SHOP);
    Instant soon = Instant.now().plus(HOUR.dividedBy(2));
    commit(
        message("0"),
        keyed("k", "1"),
        keyed("k", "2"),
        Message.of(TestMessages.TYPE).notBefore(soon).build(),
        keyed("m", "4"),
        keyed("m", "5"),
        keyed("l", "6"),
        message("7"),
        message("8"));
    steering().pause(Scope.key(key("l"), SHOP), ANNA);
    steering().pause(Scope.key(key("m"), SHOP), ANNA);
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        turn(all.get(0)),
        retry(all.get(1), 1, HOUR),
        retry(all.get(2), 1, Duration.ZERO),
        park(all.get(3), Waiting.TIME, 0, Duration.ZERO),
        turn(all.get(4)),
        turn(all.get(5)),
        turn(all.get(6)),
        retry(all.get(7), 1, Duration.ZERO),
        turn(all.get(8)));
    List<UUID> listed = new ArrayList<>();
    UUID last = null;
    for (List<ParkedMessage> page = steering().parked(SHOP, null, 2);
        !page.isEmpty();
        page = steering().parked(SHOP, last, 2)) {
      page.forEach(message -> listed.add(message.messageId()));
      last = listed.get(listed.size() - 1);
    }
    assertThat(listed)
        .containsExactlyElementsOf(
            Stream.of(7, 3, 1, 6, 4, 0, 8).map(i -> all.get(i).message().id()).toList())
        .isEqualTo(
            steering().parked(SHOP, null, 100).stream().map(ParkedMessage::messageId).toList());
  }

  @Test
  void the_parked_messages_of_a_key_are_listed_in_order_page_by_page() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("l", "2"), keyed("k", "3"), keyed("k", "4"), keyed("k", "5"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        park(all.get(0), Waiting.TIME, 0, Duration.ZERO),
        retry(all.get(1), 1, HOUR),
        retry(all.get(2), 1, HOUR),
        turn(all.get(3)),
        turn(all.get(4)));
    List<ParkedMessage> first = steering().parked(SHOP, key("k"), null, 2);
    assertThat(first).extracting(ParkedMessage::behind).containsExactly(2L, 1L);
    List<ParkedMessage> rest = steering().parked(SHOP, key("k"), first.get(1).messageId(), 10);
    assertThat(Stream.concat(first.stream(), rest.stream()).map(ParkedMessage::messageId))
        .as("the scheduled one has no place yet, so it comes last")
        .containsExactlyElementsOf(
            Stream.of(2, 3, 4, 0).map(i -> all.get(i).message().id()).toList());
    assertThat(steering().parked(SHOP, key("k"), rest.get(1).messageId(), 10)).isEmpty();
  }

  @Test
  void a_message_that_waits_for_its_next_attempt_can_be_retried_now() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("l", "3"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, retry(all.get(0), 1, HOUR), turn(all.get(1)), retry(all.get(2), 1, HOUR));
    assertThat(shop.parked()).isEmpty();
    assertThat(steering().retryNow(SHOP, key("k"), ANNA)).isEqualTo(1);
    assertThat(contents(shop.parked())).containsExactly("1", "2");
    assertThat(steering().retryNow(SHOP, null, ANNA)).isEqualTo(1);
    assertThat(steering().retryNow(SHOP, null, ANNA)).isZero();
    assertThat(actions()).containsExactly("parked.retry", "parked.retry");
  }

  @Test
  void a_skipped_head_leaves_a_discarded_letter_and_its_key_goes_on() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, retry(all.get(0), 1, HOUR), turn(all.get(1)));
    steering().skip(SHOP, all.get(0).message().id(), ANNA);
    assertThatThrownBy(() -> steering().skip(SHOP, all.get(0).message().id(), ANNA))
        .hasMessageContaining("not parked")
        .hasMessageContaining("DISCARDED");
    assertThat(contents(shop.parked())).containsExactly("2");
    List<DeadLetter> letters =
        DeadLetters.on(db().operator())
            .list(
                DeadLetterQuery.builder().states(Set.of(DeadLetter.State.DISCARDED)).build(),
                null,
                10);
    assertThat(letters)
        .extracting(DeadLetter::messageId)
        .containsExactly(all.get(0).message().id());
    assertThat(letters.get(0).reason()).isEqualTo("SKIPPED");
    assertThat(actions()).containsExactly("parked.skip");
  }

  @Test
  void a_held_key_that_is_released_goes_on_and_its_letter_stays() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, die(all.get(0), 1, AfterDead.HOLD), turn(all.get(1)));
    assertThat(status().heldKeys()).isEqualTo(1);
    assertThat(steering().parked(SHOP, null, 10))
        .extracting(ParkedMessage::held)
        .containsExactly(true);
    assertThat(steering().release(SHOP, key("k"), ANNA)).isTrue();
    assertThat(steering().release(SHOP, key("k"), ANNA)).isFalse();
    assertThat(contents(shop.parked())).containsExactly("2");
    assertThat(status().dead()).isEqualTo(1);
    assertThat(actions()).containsExactly("key.release");
  }

  @Test
  void a_message_that_is_skipped_while_it_is_in_hand_does_not_hold_its_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    shop.settle(
        batch, retry(batch.deliveries().get(0), 1, Duration.ZERO), turn(batch.deliveries().get(1)));
    Delivery inHand = shop.parked().get(0);
    steering().skip(SHOP, inHand.message().id(), ANNA);
    shop.settle(die(inHand, 2, AfterDead.HOLD));
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void what_a_person_has_seen_is_recorded_in_the_audit() {
    Audit audit = Audit.on(db().operator());
    audit.record(new Actor("anna", "the customer asked"), "payload.unmask", "letter 1");
    AuditEntry entry = audit.after(0, 10).get(0);
    assertThat(entry.who()).isEqualTo("anna");
    assertThat(entry.why()).isEqualTo("the customer asked");
    assertThat(entry.action()).isEqualTo("payload.unmask");
    assertThat(entry.target()).isEqualTo("letter 1");
    assertThat(audit.verify().broken()).isEmpty();
  }
}

package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestMessages.AGGREGATE;
import static io.posthorn.testkit.TestMessages.TYPE;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The story of a message: where it is with each destination, and what happened to it. */
public abstract class StoryContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the receiver is fixed");

  private Messages messages() {
    return Messages.on(db().operator());
  }

  private MessageStory story(UUID id) {
    return seen(messages().find(id).orElseThrow());
  }

  private DeliveryStory delivery(UUID id) {
    return story(id).deliveries().stream()
        .filter(delivery -> delivery.destination().equals(SHOP))
        .findFirst()
        .orElseThrow();
  }

  private List<UUID> list(MessageQuery.Builder query) {
    List<UUID> found = new ArrayList<>();
    MessagePage page = messages().list(query.build(), null, 2);
    while (true) {
      page.messages().forEach(message -> found.add(message.id()));
      if (page.next() == null) {
        return found;
      }
      page = messages().list(query.build(), page.next(), 2);
    }
  }

  private DeadLetter letter() {
    return DeadLetters.on(db().operator()).list(DeadLetterQuery.waiting(), null, 1).get(0);
  }

  private UUID requeue(Requeue how) {
    DeadLetter letter = letter();
    DeadLetters letters = DeadLetters.on(db().operator());
    byHand();
    assertThat(letters.requeue(List.of(letter.id()), how, ANNA).done()).isEqualTo(1);
    UUID as = letters.find(letter.id()).orElseThrow().letter().requeuedAs();
    return as == null ? letter.messageId() : as;
  }

  private TestLane dies(Message message) {
    TestLane shop = serve(SHOP);
    commit(message);
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    return shop;
  }

  @Test
  void a_message_shows_its_state_with_each_destination() {
    TestLane shop = serve(SHOP);
    TestLane mail = serve("mail");
    serve("slow");
    Message one = keyed("k", "1");
    commit(one);
    shop.settle(shop.batch());
    Batch batch = mail.batch();
    mail.settle(batch, retry(only(batch), 1, Duration.ofHours(1)));
    MessageStory story = story(one.id());
    assertThat(story.deliveries())
        .extracting(DeliveryStory::destination)
        .containsExactly("mail", SHOP, "slow");
    assertThat(story.deliveries())
        .extracting(DeliveryStory::state)
        .containsExactly(MessageState.FAILED, MessageState.SENT, MessageState.PENDING);
    assertThat(story.deliveries().get(0).lastError()).isEqualTo(Moves.REASON.text());
    assertThat(story.deliveries().get(0).nextAttemptAt()).isNotNull();
    assertThat(story.deliveries().get(0).attempts()).isEqualTo(1);
    assertThat(story.deliveries().get(1).sentAt()).isNotNull();
  }

  @Test
  void a_message_shows_its_neighbours_in_the_order_of_its_key() {
    Message before = keyed("k", "1");
    Message one = keyed("k", "2");
    Message after = keyed("k", "3");
    Message elsewhere =
        Message.of(TYPE)
            .key("Other", "k")
            .json("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .build();
    commit(
        keyed("k", "0"),
        before,
        keyed("l", "x"),
        elsewhere,
        one,
        elsewhere(),
        after,
        keyed("k", "4"));
    MessageStory story = story(one.id());
    assertThat(Objects.requireNonNull(story.before()).id()).isEqualTo(before.id());
    assertThat(Objects.requireNonNull(story.after()).id()).isEqualTo(after.id());
    assertThat(story(elsewhere.id()).before()).isNull();
    Message alone = message("without a key");
    commit(alone);
    assertThat(story(alone.id()).before()).isNull();
  }

  private static Message elsewhere() {
    return typed("Another", "no key");
  }

  /** The message changes to this state, which may follow the one it had. */
  private void moves(Message message, MessageState from, MessageState to) {
    assertThat(from.next()).contains(to);
    assertThat(delivery(message.id()).state()).isEqualTo(to);
  }

  @Test
  void a_message_changes_its_state_only_along_the_allowed_moves() {
    TestLane shop = serve(SHOP);
    Message one = keyed("k", "1");
    commit(one);
    assertThat(delivery(one.id()).state()).isEqualTo(MessageState.PENDING);
    Delivery first = only(shop.batch());
    moves(one, MessageState.PENDING, MessageState.IN_FLIGHT);
    db().pass(LEASE.plusMinutes(1));
    moves(one, MessageState.IN_FLIGHT, MessageState.PENDING);

    TestLane next = take(db().anotherStore(), SHOP);
    Batch batch = next.batch();
    next.settle(batch, park(only(batch), Waiting.ANSWER, 1, Duration.ZERO));
    moves(one, MessageState.PENDING, MessageState.IN_FLIGHT);
    next.settle(retry(first.asParked(), 1, Duration.ZERO));
    moves(one, MessageState.IN_FLIGHT, MessageState.FAILED);
    next.settle(die(next.parked().get(0), 2, AfterDead.CONTINUE));
    moves(one, MessageState.FAILED, MessageState.DEAD);
    requeue(Requeue.SAME);
    moves(one, MessageState.DEAD, MessageState.PENDING);
    next.settle(die(next.parked().get(0), 3, AfterDead.CONTINUE));
    moves(one, MessageState.PENDING, MessageState.DEAD);
    byHand();
    DeadLetters.on(db().operator()).discard(List.of(letter().id()), ANNA);
    moves(one, MessageState.DEAD, MessageState.DISCARDED);
  }

  @Test
  void a_letter_requeued_under_its_id_is_pending_until_it_is_sent() {
    Message one = keyed("k", "1");
    TestLane shop = dies(one);
    assertThat(delivery(one.id()).state()).isEqualTo(MessageState.DEAD);
    assertThat(delivery(one.id()).deadReason()).isNotNull();
    requeue(Requeue.SAME);
    assertThat(delivery(one.id()).state()).isEqualTo(MessageState.PENDING);
    shop.settle(sent(shop.parked().get(0)));
    DeliveryStory sent = delivery(one.id());
    assertThat(sent.state()).isEqualTo(MessageState.SENT);
    assertThat(sent.sentAt()).isNotNull();
    assertThat(sent.requeuedAs()).isNull();
    assertThat(sent.lastError()).as("the error from before its rescue").isNull();
    assertThat(sent.history()).extracting(Attempt::outcome).endsWith("SENT");
  }

  @Test
  void a_letter_requeued_under_a_new_id_shows_its_outcome_under_both_ids() {
    register("elsewhere", ServedDestination.ALL_TYPES);
    Message one = keyed("k", "1");
    TestLane shop = dies(one);
    UUID newId = requeue(Requeue.SAME.withNewId());
    assertThat(newId).isNotEqualTo(one.id());
    assertThat(delivery(one.id()).state()).isEqualTo(MessageState.PENDING);
    assertThat(delivery(one.id()).requeuedAs()).isEqualTo(newId);
    assertThat(delivery(newId).state()).isEqualTo(MessageState.PENDING);
    assertThat(story(newId).requeuedFrom()).isEqualTo(one.id());

    Delivery again = shop.parked().get(0);
    shop.settle(sent(again));
    for (UUID id : List.of(one.id(), newId)) {
      DeliveryStory sent = delivery(id);
      assertThat(sent.state()).isEqualTo(MessageState.SENT);
      assertThat(sent.sentAt()).isNotNull();
      assertThat(sent.attempts()).isEqualTo(2);
    }
    assertThat(delivery(one.id()).requeuedAs()).isEqualTo(newId);
    assertThat(delivery(one.id()).history()).extracting(Attempt::number).containsExactly(1, 2);
    assertThat(delivery(newId).requeuedAs()).isNull();
    assertThat(story(newId).deliveries()).as("only the shop gets it").hasSize(1);
    assertThat(story(newId).message().id()).isEqualTo(newId);
    assertThat(story(newId).message().key()).isEqualTo(key("k"));
  }

  @Test
  void a_letter_that_died_again_under_new_ids_is_followed_to_the_last() {
    Message one = message("1");
    TestLane shop = dies(one);
    UUID second = requeue(Requeue.SAME.withNewId());
    shop.settle(die(shop.parked().get(0), 2, AfterDead.CONTINUE));
    assertThat(delivery(one.id()).state()).isEqualTo(MessageState.DEAD);
    assertThat(delivery(one.id()).requeuedAs()).isEqualTo(second);
    UUID third = requeue(Requeue.SAME.withNewId());
    for (UUID id : List.of(one.id(), second)) {
      assertThat(delivery(id).requeuedAs()).isEqualTo(third);
      assertThat(delivery(id).state()).isEqualTo(MessageState.PENDING);
    }
    assertThat(story(third).requeuedFrom()).isEqualTo(second);
  }

  @Test
  void messages_can_be_found_by_their_key_page_by_page_from_either_end() {
    serve(SHOP);
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Message one = keyed("k", "" + i);
      all.add(one.id());
      commit(one, keyed("l", "" + i), message("" + i));
    }
    assertThat(list(MessageQuery.builder().aggregateType(AGGREGATE).key("k").oldestFirst()))
        .containsExactlyElementsOf(all);
    List<UUID> newestFirst = new ArrayList<>(all);
    java.util.Collections.reverse(newestFirst);
    assertThat(list(MessageQuery.builder().key("k"))).containsExactlyElementsOf(newestFirst);
    assertThat(list(MessageQuery.builder().aggregateType("Other").key("k"))).isEmpty();
    assertThat(list(MessageQuery.builder().key("m"))).isEmpty();
    ListedMessage first = messages().list(MessageQuery.of(key("k")), null, 1).messages().get(0);
    assertThat(first.id()).isEqualTo(newestFirst.get(0));
    assertThat(first.key()).isEqualTo(key("k"));
    assertThat(first.payloadBytes()).isEqualTo(1);
    assertThat(first.states()).containsOnlyKeys(SHOP).containsValue(MessageState.PENDING);
  }

  @Test
  void messages_can_be_found_by_correlation_type_and_time() {
    Message one = Message.of(TYPE).correlationId("c-1").build();
    Message two = Message.of("Another").correlationId("c-1").build();
    Message three = Message.of("Another").correlationId("c-2").header("x", "c-1").build();
    commit(one);
    db().pass(Duration.ofHours(2));
    commit(two, message("4"), three);
    assertThat(list(MessageQuery.builder().correlationId("c-1")))
        .containsExactly(two.id(), one.id());
    assertThat(list(MessageQuery.builder().correlationId("c-3"))).isEmpty();
    assertThat(list(MessageQuery.builder().type("Another"))).containsExactly(three.id(), two.id());
    assertThat(list(MessageQuery.builder().type("Another").correlationId("c-2")))
        .containsExactly(three.id());
    Instant anHourAgo = Instant.now().minus(Duration.ofHours(1));
    assertThat(list(MessageQuery.builder().to(anHourAgo))).containsExactly(one.id());
    assertThat(list(MessageQuery.builder().from(anHourAgo).correlationId("c-1")))
        .containsExactly(two.id());
    assertThat(list(MessageQuery.builder().from(anHourAgo).oldestFirst())).hasSize(3);
    assertThat(list(MessageQuery.builder().from(anHourAgo).to(anHourAgo))).isEmpty();
    assertThatThrownBy(() -> messages().list(MessageQuery.builder().build(), null, 0))
        .hasMessageContaining("a page of 0");
  }

  private static final UUID NEAR = UUID.fromString("018f0c3e-7b1a-7c3d-9e4f-0000000000ff");

  private List<UUID> begin(String prefix, int most) {
    return db().operator().ids(IdKind.MESSAGE, IdPrefix.of(prefix), most);
  }

  private static Message withId(String id) {
    return Message.of(TYPE).id(UUID.fromString(id)).json("{}".getBytes(UTF_8)).build();
  }

  @Test
  void a_message_is_found_by_the_beginning_of_its_id_wherever_it_is() {
    Message dead = withId(NEAR.toString());
    Message parked = withId("018f0c3e-7b1a-7c3d-9e4f-000000000100");
    Message read = withId("018f0c3e-7b1a-7c3d-ffff-ffffffffffff");
    Message elsewhere = withId("018f0c3e-7b1b-7000-8000-000000000000");
    TestLane shop = serve(SHOP);
    commit(dead, parked, read, elsewhere);
    Batch batch = shop.batch();
    shop.settle(
        batch,
        die(batch.deliveries().get(0), 1, AfterDead.CONTINUE),
        park(batch.deliveries().get(1), Waiting.ANSWER, 1, Duration.ZERO));
    assertThat(begin("018f0c3e7b1a", 10)).containsExactly(dead.id(), parked.id(), read.id());
    assertThat(begin("018F0C3E-7B1A", 2)).containsExactly(dead.id(), parked.id());
    assertThat(begin("018f0c3e-7b1a-7c3d-f", 10)).containsExactly(read.id());
    assertThat(begin(NEAR.toString(), 10)).containsExactly(NEAR);
    assertThat(begin("018f0c3e7b1c", 10)).isEmpty();
  }

  @Test
  void a_message_is_found_by_the_beginning_of_the_id_under_which_it_was_requeued() {
    Message one = keyed("k", "1");
    dies(one);
    UUID as = requeue(Requeue.SAME.withNewId());
    assertThat(begin(as.toString().substring(0, 23), 10)).containsExactly(as);
  }

  @Test
  void a_letter_and_an_operation_are_found_by_the_beginning_of_their_ids() {
    dies(keyed("k", "1"));
    UUID letter = letter().id();
    assertThat(
            db().operator().ids(IdKind.LETTER, IdPrefix.of(letter.toString().substring(0, 13)), 10))
        .containsExactly(letter);
    UUID operation =
        Operations.on(db().operator()).start(Plan.discard(DeadLetterQuery.waiting()), ANNA).id();
    assertThat(
            db().operator()
                .ids(IdKind.OPERATION, IdPrefix.of(operation.toString().substring(0, 13)), 10))
        .containsExactly(operation);
  }
}

package io.posthorn.postgresql.parked;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.GUILTY_CONTENT;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.Poison;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.testkit.TestDatabase.Dead;
import io.posthorn.testkit.TestLane;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The database refuses to give one parked message its turn. The other parked messages of its
 * destination go on, and the guilty one is a dead letter.
 */
class RefusedTurnTest {
  private final Poison poison = new Poison();

  @AfterEach
  void close() {
    poison.close();
  }

  private static Message scheduled(Message message, Instant notBefore) {
    return Message.of(message.type())
        .id(message.id())
        .key(TestMessages.AGGREGATE, message.key().id())
        .json(message.payload())
        .notBefore(notBefore)
        .build();
  }

  /** One of each key, of which the second is guilty, and all of them fall due together. */
  private void addScheduled() {
    Instant soon = Instant.now().plusSeconds(1);
    poison.add(
        scheduled(Poison.message("k0", 0), soon),
        scheduled(Poison.message("k1", 1), soon),
        scheduled(Poison.message("k2", 2), soon),
        scheduled(Poison.message("k1", 3), soon.plusMillis(1)));
  }

  private void awaitSent(String... contents) {
    await()
        .untilAsserted(
            () ->
                assertThat(poison.shop.acknowledged())
                    .extracting(TestMessages::content)
                    .contains(contents));
  }

  private void oneIsBuried() {
    awaitSent("k0:0", "k2:2", "k1:3");
    poison.awaitSettled();
    List<Dead> letters = poison.database.dead("shop");
    assertThat(letters).extracting(Dead::messageId).containsExactly(GUILTY);
    assertThat(letters.get(0).reason()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(letters.get(0).error()).contains("23514");
    assertThat(letters.get(0).content()).isEqualTo(GUILTY_CONTENT);
    assertThat(poison.shop.acknowledged()).hasSize(3);
    assertThat(poison.cries()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OLD.waiting = 'TIME'",
        "OLD.waiting = 'TURN' AND OLD.next_attempt_at IS NULL AND NEW.next_attempt_at IS NOT NULL"
      })
  void a_scheduled_message_that_cannot_fall_due_is_a_dead_letter_and_the_others_go_on(String when) {
    poison.refusing("UPDATE", "posthorn_parked", "23514", isGuilty("OLD") + " AND " + when).start();
    addScheduled();
    oneIsBuried();
  }

  @Test
  void a_message_that_can_neither_fall_due_nor_be_buried_is_reported_and_the_others_go_on() {
    poison
        .refusing(
            "UPDATE", "posthorn_parked", "23514", isGuilty("OLD") + " AND OLD.waiting = 'TIME'")
        .refusing("INSERT", "posthorn_dead", "23514", isGuilty("NEW"))
        .start();
    addScheduled();
    awaitSent("k0:0", "k2:2");
    await().untilAsserted(() -> assertThat(poison.cries()).isNotEmpty());
    poison.add(scheduled(Poison.message("k0", 4), Instant.now().plusMillis(500)));
    await().untilAsserted(() -> assertThat(poison.sent("k0")).containsExactly("k0:0", "k0:4"));
  }

  @Test
  void a_parked_message_that_can_neither_be_read_nor_be_buried_does_not_stop_the_others() {
    Set<String> tried = ConcurrentHashMap.newKeySet();
    poison
        .trigger(
            "INSERT",
            "posthorn_parked",
            "IF %s THEN NEW.recorded_at = 'infinity'; END IF; RETURN NEW;"
                .formatted(isGuilty("NEW")))
        .refusing("INSERT", "posthorn_dead", "23514", isGuilty("NEW"))
        .shop(
            m ->
                tried.add(TestMessages.content(m))
                    ? Outcome.failedByMessage(Reason.of("HTTP_500", "try later"))
                    : Outcome.SENT)
        .start();
    poison.add(Poison.message("k0", 0), Poison.message("k1", 1), Poison.message("k2", 2));
    await().untilAsserted(() -> assertThat(poison.cries()).isNotEmpty());
    poison.add(Poison.message("k0", 3), Poison.message("k2", 4));
    await().untilAsserted(() -> assertThat(poison.sent("k0")).containsExactly("k0:0", "k0:3"));
    await().untilAsserted(() -> assertThat(poison.sent("k2")).containsExactly("k2:2", "k2:4"));
  }

  @Test
  void an_edge_that_is_refused_is_nobodys_fault() {
    poison.refusing("INSERT", "posthorn_edge", "23514", "true");
    TestLanes lanes = new TestLanes(poison.database);
    TestLane shop = lanes.take("shop");
    lanes.commit(IntStream.range(0, 64).mapToObj(String::valueOf).toArray(String[]::new));
    List<Delivery> all = shop.batch().deliveries();
    shop.settle(shop.batch(), all.stream().map(d -> parked(d)).toArray(Move[]::new));
    List<Delivery> parked = shop.parked();
    assertThat(parked).hasSize(64);
    shop.settle(parked.stream().map(Move.Sent::new).toArray(Move[]::new));
    assertThat(poison.database.parked("shop")).isEmpty();
  }

  private static Move parked(Delivery delivery) {
    return new Move.Park(
        delivery, Waiting.RETRY, 1, Duration.ZERO, Reason.of("HTTP_500", "try later"));
  }
}

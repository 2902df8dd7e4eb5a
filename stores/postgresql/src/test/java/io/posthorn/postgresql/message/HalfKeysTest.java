package io.posthorn.postgresql.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A role that inserts into the log itself may set a key without an aggregate type, or an aggregate
 * type without a key. The key decides.
 */
class HalfKeysTest {
  private static final Reason REASON = new Reason("HTTP_400", "no", null);

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final TestLane shop = lanes.take("shop");

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void a_key_without_an_aggregate_type_is_valid_and_an_aggregate_type_alone_is_no_key() {
    assertThat(inserted().deliveries())
        .extracting(delivery -> delivery.message().key())
        .containsExactly(new Key("", "k"), null);
  }

  @Test
  void both_can_be_parked_and_are_listed() {
    Batch batch = inserted();
    shop.settle(
        batch, moves(batch, d -> new Move.Park(d, Waiting.PAUSED, 0, Duration.ZERO, REASON)));
    assertThat(lanes.store().parked("shop", null, 10))
        .extracting(ParkedMessage::key)
        .containsExactlyInAnyOrder(new Key("", "k"), null);
  }

  @Test
  void both_can_die() {
    Batch batch = inserted();
    shop.settle(
        batch, moves(batch, d -> new Move.Die(d, 1, "HTTP_400", REASON, AfterDead.CONTINUE)));
    assertThat(lanes.store().letters(DeadLetterQuery.waiting(), null, 10))
        .extracting(DeadLetter::key)
        .containsExactlyInAnyOrder(new Key("", "k"), null);
  }

  @Test
  void both_are_found_by_what_they_are() {
    inserted();
    assertThat(listed(MessageQuery.of(new Key("", "k")))).containsExactly(new Key("", "k"));
    assertThat(listed(MessageQuery.builder().aggregateType("Order").build())).isEmpty();
    assertThat(
            database.query(
                "SELECT aggregate_type, key FROM posthorn_message_state WHERE destination = 'shop' ORDER BY seq",
                row -> row.getString(1) + "/" + row.getString(2)))
        .containsExactly("/k", "null/null");
  }

  @Test
  void the_first_of_two_dead_messages_shows_that_the_other_was_already_sent() {
    insert("key", "'k'");
    insert("key", "'k'");
    Batch batch = shop.batch();
    Delivery first = batch.deliveries().get(0);
    shop.settle(batch, new Move.Die(first, 1, "HTTP_400", REASON, AfterDead.CONTINUE));
    DeadLetter letter = lanes.store().letters(DeadLetterQuery.waiting(), null, 10).get(0);
    assertThat(lanes.store().letter(letter.id()).orElseThrow().youngerOut()).isEqualTo(1);
  }

  private List<@Nullable Key> listed(MessageQuery query) {
    List<@Nullable Key> keys = new ArrayList<>();
    lanes.store().messages(query, null, 10).messages().forEach(found -> keys.add(found.key()));
    return keys;
  }

  private Batch inserted() {
    insert("key", "'k'");
    insert("aggregate_type", "'Order'");
    return shop.batch();
  }

  private void insert(String column, String value) {
    database.execute(
        "INSERT INTO posthorn_log (id, type, payload, %s) VALUES (gen_random_uuid(), 'T', '', %s)"
            .formatted(column, value));
  }

  private static Move[] moves(Batch batch, Function<Delivery, Move> move) {
    return batch.deliveries().stream().map(move).toArray(Move[]::new);
  }
}

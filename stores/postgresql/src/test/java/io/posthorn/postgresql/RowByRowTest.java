package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.testkit.TestLane;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * While one row cannot be read, the others are read one by one, and the relay learns the same about
 * them as from a page.
 */
class RowByRowTest {
  private static final Duration HOURS = Duration.ofHours(3);

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final Message unreadable = message("no");

  @AfterEach
  void close() {
    database.close();
  }

  private static Delivery only(List<Delivery> deliveries, String content) {
    return deliveries.stream()
        .filter(delivery -> TestLane.contents(List.of(delivery)).equals(List.of(content)))
        .findFirst()
        .orElseThrow();
  }

  private static void assertSame(Delivery alone, Delivery inPage) {
    assertThat(alone)
        .usingRecursiveComparison()
        .withEqualsForType(
            (one, other) -> one.minus(other).abs().compareTo(Duration.ofMinutes(1)) < 0,
            Duration.class)
        .isEqualTo(inPage);
  }

  @Test
  void a_message_of_the_log_is_read_alone_as_in_a_page() {
    TestLane shop = lanes.take("shop");
    lanes.add(keyed("k", "yes"), unreadable);
    Delivery inPage = only(shop.batch().deliveries(), "yes");
    database.execute(
        "UPDATE posthorn_log SET recorded_at = 'infinity' WHERE id = '%s'"
            .formatted(unreadable.id()));
    List<Delivery> alone = shop.batch().deliveries();
    assertThat(alone).anyMatch(delivery -> delivery.unreadable() != null);
    assertSame(only(alone, "yes"), inPage);
  }

  @Test
  void a_parked_message_is_read_alone_as_in_a_page_also_how_long_it_has_been_failing() {
    TestLane shop = lanes.take("shop");
    lanes.add(keyed("k", "suspected"), keyed("l", "blamed"), unreadable);
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, retry(all.get(0), 0), retry(all.get(1), 1), retry(all.get(2), 0));
    database.pass(HOURS);
    List<Delivery> page = shop.parked();
    database.execute(
        "UPDATE posthorn_parked SET recorded_at = 'infinity' WHERE message_id = '%s'"
            .formatted(unreadable.id()));
    List<Delivery> alone = shop.parked();
    assertThat(alone).anyMatch(delivery -> delivery.unreadable() != null);
    for (String content : List.of("suspected", "blamed")) {
      assertSame(only(alone, content), only(page, content));
    }
    assertThat(only(page, "suspected").suspectFor()).isGreaterThanOrEqualTo(HOURS);
    assertThat(only(page, "blamed").failingFor()).isGreaterThanOrEqualTo(HOURS);
  }

  private static Move retry(Delivery delivery, int attempts) {
    return new Move.Park(
        delivery, Waiting.RETRY, attempts, Duration.ZERO, Reason.of("HTTP_500", "try later"));
  }
}

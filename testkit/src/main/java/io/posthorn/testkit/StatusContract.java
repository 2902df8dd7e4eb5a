package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The status of all destinations, relays and the log. */
public abstract class StatusContract extends Contract {
  private Status.Backlog backlog(String destination) {
    return db().operator().status().destinations().stream()
        .filter(backlog -> backlog.status().name().equals(destination))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void pending_counts_the_messages_that_a_destination_wants_and_has_not_settled() {
    TestLane shop = serve(SHOP);
    register("mail", "Other");
    commit(message("1"), message("2"), typed("Other", "3"));
    assertThat(backlog(SHOP).pending()).isEqualTo(3);
    assertThat(backlog(SHOP).estimated()).isFalse();
    assertThat(backlog(SHOP).oldestPending()).isNotNull();
    assertThat(backlog("mail").pending()).isEqualTo(1);
    Batch batch = shop.batch(TestLane.atMost(2));
    shop.settle(batch);
    assertThat(backlog(SHOP).pending()).isEqualTo(1);
    shop.drain();
    assertThat(backlog(SHOP).pending()).isZero();
    assertThat(backlog(SHOP).oldestPending()).isNull();
  }

  @Test
  void pending_counts_messages_that_a_long_transaction_wrote_before_others_were_settled() {
    TestLane shop = serve(SHOP);
    OpenTransaction open = begin().add(message("early"));
    commit(message("late"));
    assertThat(shop.drain()).containsExactly("late");
    assertThat(backlog(SHOP).pending()).isZero();
    open.commit();
    assertThat(backlog(SHOP).pending()).isEqualTo(1);
    assertThat(shop.drain()).containsExactly("early");
    assertThat(backlog(SHOP).pending()).isZero();
  }

  @Test
  void a_large_backlog_is_estimated() {
    serve(SHOP);
    register("mail", "Other");
    List<Message> many =
        IntStream.range(0, 12_000)
            .mapToObj(n -> n % 10 == 0 ? typed("Other", "") : message(""))
            .toList();
    commit(many.toArray(Message[]::new));
    assertThat(backlog(SHOP).pending()).isBetween(11_500L, 12_500L);
    assertThat(backlog(SHOP).estimated()).isTrue();
    assertThat(backlog("mail").pending()).isBetween(1_100L, 1_300L);
  }

  @Test
  void the_status_shows_parked_and_dead_messages_relays_and_the_log() {
    TestLane shop = serve(SHOP);
    assertThat(db().operator().status().log().oldest()).isNull();
    commit(message("1"), message("2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        die(batch.deliveries().get(0), 1, AfterDead.CONTINUE),
        retry(batch.deliveries().get(1), 1, Duration.ofHours(1)));
    Status status = db().operator().status();
    assertThat(backlog(SHOP).pending()).isZero();
    assertThat(backlog(SHOP).status().dead()).isEqualTo(1);
    assertThat(backlog(SHOP).status().parked()).isEqualTo(1);
    assertThat(backlog(SHOP).status().relay()).isEqualTo("relay");
    assertThat(status.relays()).hasSize(1);
    assertThat(status.relays().get(0).lanes()).isEqualTo(1);
    assertThat(status.log().last()).isPositive();
    assertThat(status.log().oldest()).isNotNull();
    assertThat(status.log().bytes()).isPositive();
    db().pass(LEASE.plusMinutes(1));
    assertThat(db().operator().status().relays()).isEmpty();
  }
}

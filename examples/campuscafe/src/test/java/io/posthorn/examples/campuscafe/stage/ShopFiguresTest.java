package io.posthorn.examples.campuscafe.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.examples.campuscafe.stage.Shop.Placed;
import io.posthorn.examples.campuscafe.stage.Shop.Steps;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The counts that decide between the shops find each kind of mistake. */
class ShopFiguresTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Steps NOTHING = new Steps(Map.of());
  private static final UUID A = UUID.randomUUID();
  private static final UUID B = UUID.randomUUID();

  @Test
  void an_order_that_is_paid_and_told_once_is_at_its_end() {
    ShopFigures figures = figures(List.of(order(A, A, "PAID", 60)), once(A), once(A), once(A));
    assertThat(figures).isEqualTo(new ShopFigures(1, 1, 0, 0, 0, 0, 1));
    assertThat(figures.unfinished()).isZero();
  }

  @Test
  void a_cancelled_order_is_at_its_end_only_when_the_customer_was_told() {
    List<Placed> orders = List.of(order(A, A, "CANCELLED", 60), order(B, B, "CANCELLED", 60));
    ShopFigures figures = figures(orders, NOTHING, NOTHING, once(A));
    assertThat(figures.finished()).isEqualTo(1);
    assertThat(figures.unfinished()).isEqualTo(1);
  }

  @Test
  void an_order_is_late_after_a_while_and_waits_until_then() {
    List<Placed> orders = List.of(order(A, A, "PLACED", 60), order(B, B, "PLACED", 5));
    ShopFigures figures = figures(orders, NOTHING, NOTHING, NOTHING);
    assertThat(figures.late()).isEqualTo(1);
    assertThat(figures.waiting()).isEqualTo(1);
  }

  @Test
  void work_for_an_order_that_does_not_exist_is_a_ghost() {
    List<Placed> orders = List.of(order(A, A, "PAID", 60));
    assertThat(figures(orders, once(B), once(A), once(A)).ghosts()).isEqualTo(1);
    assertThat(figures(orders, once(A), once(B), once(A)).ghosts()).isEqualTo(1);
    assertThat(figures(orders, once(A), once(A), once(B)).ghosts()).isEqualTo(1);
  }

  @Test
  void an_order_for_which_something_happened_twice_is_not_handled_once() {
    List<Placed> orders = List.of(order(A, A, "PAID", 60));
    Steps twice = new Steps(Map.of(A, 2));
    for (ShopFigures figures :
        List.of(
            figures(orders, twice, once(A), once(A)),
            figures(orders, once(A), twice, once(A)),
            figures(orders, once(A), once(A), twice))) {
      assertThat(figures.doubled()).isEqualTo(1);
      assertThat(figures.once()).isZero();
    }
  }

  @Test
  void two_orders_of_one_request_are_one_too_many() {
    List<Placed> orders = List.of(order(A, A, "PAID", 60), order(B, A, "PAID", 60));
    assertThat(figures(orders, NOTHING, NOTHING, NOTHING).doubled()).isEqualTo(1);
  }

  private static ShopFigures figures(
      List<Placed> orders, Steps reserved, Steps charged, Steps notified) {
    return ShopFigures.of(new Shop(orders, reserved, charged, notified), NOW);
  }

  private static Steps once(UUID order) {
    return new Steps(Map.of(order, 1));
  }

  private static Placed order(UUID id, UUID request, String status, int secondsAgo) {
    return new Placed(
        id, request, "latte", 1, "a@campus.example", status, NOW.minusSeconds(secondsAgo));
  }
}

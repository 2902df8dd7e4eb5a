package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private final Ledger ledger = new Ledger();

  @Test
  void what_comes_in_order_is_delivered_and_nothing_else() {
    see(1, 2, 3);

    assertThat(ledger.delivered()).isEqualTo(3);
    assertThat(ledger.missing(Map.of("order-1", 3L))).isZero();
    assertFaults(0, 0, 0, 0);
  }

  @Test
  void what_comes_again_is_a_duplicate_and_not_reordered() {
    see(1, 2, 3, 2, 3, 4);

    assertThat(ledger.delivered()).isEqualTo(4);
    assertFaults(2, 0, 0, 0);
  }

  @Test
  void what_comes_after_a_later_one_is_reordered() {
    see(1, 3, 2, 4);

    assertThat(ledger.delivered()).isEqualTo(4);
    assertFaults(0, 1, 0, 0);
  }

  @Test
  void what_is_skipped_shows_at_once_and_is_missing_in_the_end() {
    see(1, 4);

    assertFaults(0, 0, 0, 2);
    assertThat(ledger.missing(Map.of("order-1", 5L, "order-2", 7L))).isEqualTo(3 + 7);
  }

  @Test
  void what_was_rolled_back_is_a_phantom() {
    ledger.note(new OrderChanged("order-1", 1, true));

    assertThat(ledger.delivered()).isZero();
    assertFaults(0, 0, 1, 0);
  }

  @Test
  void what_was_never_committed_is_surplus() {
    see(1, 2);

    assertThat(ledger.surplus(Map.of("order-1", 1L))).isEqualTo(1);
    assertThat(ledger.surplus(Map.of("order-1", 2L))).isZero();
  }

  private void see(int... versions) {
    for (int version : versions) {
      ledger.note(new OrderChanged("order-1", version, false));
    }
  }

  private void assertFaults(long duplicates, long reordered, long phantoms, long skipped) {
    assertThat(ledger.duplicates()).isEqualTo(duplicates);
    assertThat(ledger.reordered()).isEqualTo(reordered);
    assertThat(ledger.phantoms()).isEqualTo(phantoms);
    assertThat(ledger.skipped()).isEqualTo(skipped);
  }
}

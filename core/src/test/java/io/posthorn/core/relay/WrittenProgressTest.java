package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class WrittenProgressTest {
  private final WrittenProgress written = new WrittenProgress();
  private UUID newest = UUID.randomUUID();

  private UUID settle(long newestRead) {
    newest = UUID.randomUUID();
    written.add(newest);
    written.newestIs(newest, newestRead);
    return newest;
  }

  @Test
  void a_lane_that_settles_for_ever_and_reads_nothing_ahead_keeps_one_id() {
    for (int i = 0; i < 300_000; i++) {
      settle(0);
      written.readsEnded(0);
      assertThat(written.ids()).hasSize(1);
    }
    assertThat(written.ids()).containsExactly(newest);
  }

  @Test
  void what_a_read_that_has_begun_may_find_is_known_until_it_ends() {
    UUID first = settle(0);
    UUID second = settle(1);
    UUID third = settle(1);
    written.readsEnded(0);
    assertThat(written.ids()).containsExactlyInAnyOrder(first, second, third);
    written.readsEnded(1);
    assertThat(written.ids()).containsExactly(third);
  }

  @Test
  void a_settle_that_is_under_way_is_known() {
    settle(0);
    UUID next = UUID.randomUUID();
    written.add(next);
    written.readsEnded(0);
    assertThat(written.ids()).containsExactlyInAnyOrder(newest, next);
  }

  @Test
  void one_that_was_not_written_after_all_is_forgotten() {
    settle(0);
    written.add(UUID.randomUUID());
    written.newestIs(newest, 0);
    written.readsEnded(0);
    assertThat(written.ids()).containsExactly(newest);
  }

  @Test
  void a_new_batch_makes_all_others_past() {
    settle(5);
    written.only(newest);
    UUID batch = UUID.randomUUID();
    written.only(batch);
    assertThat(written.ids()).containsExactly(batch);
  }
}

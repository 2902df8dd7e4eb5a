package io.posthorn.core.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.trace.LogBudget.Share;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LogBudgetTest {
  private long now = Long.MAX_VALUE;
  private final LogBudget budget = new LogBudget(() -> now);

  private List<Share> take(int failures, String kind) {
    return IntStream.range(0, failures).mapToObj(i -> budget.take(kind)).toList();
  }

  @Test
  void a_few_failures_in_a_second_all_have_their_stack() {
    assertThat(take(10, "a")).containsOnly(new Share(true, true, 0));
  }

  @Test
  void of_many_failures_the_first_of_each_kind_has_its_stack_and_a_hundred_have_a_line() {
    take(10, "a");
    assertThat(take(80, "a")).containsOnly(new Share(true, false, 0));
    assertThat(take(2, "b")).containsExactly(new Share(true, true, 0), new Share(true, false, 0));
    assertThat(take(8, "a")).containsOnly(new Share(true, false, 0));
    assertThat(take(1_204, "a")).containsOnly(new Share(false, false, 0));
  }

  @Test
  void failures_that_all_differ_have_twenty_stacks_at_most() {
    long stacks =
        IntStream.range(0, 1_000)
            .mapToObj(i -> budget.take("kind " + i))
            .filter(Share::stack)
            .count();
    assertThat(stacks).isEqualTo(20);
  }

  @Test
  void the_next_second_begins_with_the_number_that_was_left_out() {
    take(1_304, "a");
    now += Duration.ofMillis(999).toNanos();
    assertThat(budget.take("a")).isEqualTo(new Share(false, false, 0));
    now += Duration.ofMillis(1).toNanos();
    assertThat(take(2, "a"))
        .containsExactly(new Share(true, true, 1_205), new Share(true, true, 0));
  }
}

package io.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {
  private final Figures figures =
      new Figures()
          .machine(Map.of("fsync", "on"))
          .add("speed", "messages a second", 431_207.4)
          .add("ratio", "against the cursor", 0.65, Goal.atLeast(0.7))
          .add("dead", "dead rows", 0, Goal.atMost(1));

  @Test
  void json_is_one_object_with_the_figures_the_missed_goals_and_the_machine() {
    assertThat(figures.json())
        .isEqualTo(
            "{\"speed\":431207.4000,\"ratio\":0.6500,\"dead\":0,\"missed\":[\"ratio\"],\"fsync\":\"on\"}");
  }

  @Test
  void the_table_shows_the_goal_beside_the_figure() {
    assertThat(figures.table())
        .containsPattern("messages a second +431,207\n")
        .containsPattern("against the cursor +0.65 +goal ≥ 0.70 +MISSED\n")
        .containsPattern("dead rows +0 +goal ≤ 1\n")
        .contains("fsync on");
  }

  @Test
  void the_median_is_the_middle_one_or_between_the_two() {
    Series odd = new Series();
    odd.add(9);
    odd.add(1);
    odd.add(5);
    Series even = new Series();
    even.add(4);
    even.add(2);
    assertThat(odd.median()).isEqualTo(5);
    assertThat(even.median()).isEqualTo(3);
    assertThat(odd.against(even)).isEqualTo(5.0 / 3);
  }
}

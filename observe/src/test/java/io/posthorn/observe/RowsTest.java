package io.posthorn.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RowsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Rows rows = new Rows(registry, "age", "seconds", "for a test", Double::max);

  private Gauge of(String destination) {
    return registry.find("age").tag("destination", destination).gauge();
  }

  @Test
  void a_series_that_stays_is_never_taken_away_in_between() {
    rows.add(1, "destination", "a");
    rows.show();
    Gauge before = of("a");
    rows.add(2, "destination", "a");
    rows.show();
    assertThat(of("a")).isSameAs(before);
    assertThat(before.value()).isEqualTo(2);
  }

  @Test
  void a_series_that_is_no_longer_reported_is_removed() {
    rows.add(1, "destination", "a");
    rows.add(1, "destination", "b");
    rows.show();
    rows.add(1, "destination", "b");
    rows.show();
    assertThat(of("a")).isNull();
    assertThat(of("b")).isNotNull();
    rows.clear();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void several_that_share_their_labels_become_one_value() {
    rows.add(3, "destination", Labels.OTHER);
    rows.add(5, "destination", Labels.OTHER);
    rows.show();
    assertThat(of(Labels.OTHER).value()).isEqualTo(5);
  }
}

package io.posthorn.benchmarks;

import static io.posthorn.benchmarks.BenchRun.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The benchmarks that deliver to a receiver. */
class DeliveringBenchTest {
  @ParameterizedTest
  @ValueSource(strings = {"kafka", "rabbitmq", "webhook"})
  void deliver_compares_the_relay_with_a_feed_and_the_client_alone(String target) {
    Map<String, Double> figures =
        run("deliver", "--to=" + target, "--json", "--rounds=1", "--messages=2000", "--seconds=1");
    assertThat(figures)
        .containsKeys(
            "deliver_per_second",
            "feed_per_second",
            "client_per_second",
            "deliver_vs_feed",
            "p50_us",
            "p99_us");
  }

  @Test
  void rescue_loses_no_letter_and_reports_the_latency_of_live_traffic() {
    Map<String, Double> figures =
        run("rescue", "--json", "--letters=500", "--seconds=1", "--live-rate=200");
    assertThat(figures)
        .containsKeys("letters_per_second", "p99_us_before", "p99_us_during", "p99_ratio")
        .containsEntry("letters", 500.0)
        .containsEntry("lost", 0.0);
  }

  @Test
  void handle_compares_a_subscription_with_a_plain_loop_and_loses_nothing() {
    Map<String, Double> figures = run("handle", "--json", "--messages=1000", "--rounds=1");
    assertThat(figures)
        .containsKeys(
            "handled_per_second",
            "handled_per_second_unnumbered",
            "plain_per_second",
            "handle_vs_plain")
        .containsEntry("lost", 0.0);
  }
}

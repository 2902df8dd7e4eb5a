package io.posthorn.benchmarks;

import static io.posthorn.benchmarks.BenchRun.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The benchmarks of the database alone. Each must run and report its figures; the values are not
 * checked.
 */
class BenchTest {
  @Test
  void latency_is_reported_for_one_instance_three_instances_a_separate_relay_and_a_hand_off() {
    Map<String, Double> figures = run("latency", "--json", "--rounds=1", "--messages=500");
    assertThat(figures)
        .containsKeys(
            "p50_us",
            "p99_us",
            "p50_us_three",
            "p99_us_three",
            "p50_us_standalone",
            "p99_us_standalone",
            "p50_us_handoff",
            "p99_us_handoff");
  }

  @Test
  void slow_compares_other_keys_with_and_without_slow_answers() {
    Map<String, Double> figures =
        run("slow", "--json", "--rounds=1", "--messages=500", "--answer=200");
    assertThat(figures).containsKeys("p99_us", "p99_us_slow", "p99_ratio");
  }

  @Test
  void backlog_loses_doubles_and_reorders_nothing() {
    Map<String, Double> figures = run("backlog", "--json", "--messages=2000");
    assertThat(figures)
        .containsKeys("drain_per_second", "max_heap_mb", "max_rss_mb")
        .containsEntry("messages", 2_000.0)
        .containsEntry("lost", 0.0)
        .containsEntry("duplicates", 0.0)
        .containsEntry("reordered", 0.0);
  }

  @Test
  void idle_counts_connections_and_queries() {
    Map<String, Double> figures =
        run("idle", "--json", "--rounds=1", "--destinations=1,2", "--settle=1", "--seconds=1");
    assertThat(figures)
        .containsKeys(
            "connections_1", "queries_per_second_1", "connections_2", "queries_per_second_2");
  }

  @Test
  void parked_reports_the_cost_before_and_after() {
    Map<String, Double> figures =
        run("parked", "--json", "--messages=1000", "--at-once=500", "--rounds=2", "--writes");
    assertThat(figures)
        .containsKeys("look_ratio", "probe_ratio", "claim_ratio", "settle_ratio")
        .containsEntry("messages", 1_000.0);
  }

  @Test
  void pages_asks_everything_of_a_full_database() {
    Map<String, Double> figures =
        run("pages", "--json", "--messages=20000", "--letters=1000", "--rounds=1", "--plans");
    assertThat(figures)
        .containsKeys(
            "status_ms",
            "destinations_list_ms",
            "parked_list_ms",
            "dead_list_error_ms",
            "dead_count_all_ms",
            "dead_groups_all_ms",
            "dead_summary_ms",
            "dead_show_ms",
            "messages_find_ms",
            "messages_list_key_ms",
            "messages_list_rare_type_ms",
            "audit_list_ms");
  }

  @Test
  void soak_does_all_kinds_of_work_and_reports_how_memory_and_tables_grow() {
    Map<String, Double> figures = run("soak", "--json", "--minutes=0.1", "--rate=400");
    assertThat(figures)
        .containsKeys(
            "messages_per_second",
            "heap_grown_mb",
            "tables_grown_mb",
            "history_bytes_per_message",
            "letters")
        .containsEntry("left", 0.0);
    assertThat(figures.get("messages")).isGreaterThan(1_000);
  }
}

package io.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Each benchmark runs and tells its figures; what they are is nobody's business here. */
class BenchTest {
  private static final Pattern FIGURE = Pattern.compile("\"([a-z0-9_]+)\":(-?[0-9.]+)[,}]");

  private static Map<String, Double> run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new Bench())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    assertThat(status).as(err.toString()).isZero();
    assertThat(out.toString()).matches("\\{[^\n]*}\n");
    Map<String, Double> figures = new LinkedHashMap<>();
    for (Matcher found = FIGURE.matcher(out.toString()); found.find(); ) {
      figures.put(found.group(1), Double.valueOf(found.group(2)));
    }
    return figures;
  }

  @Test
  void drain_compares_a_backlog_with_cursor_tutorial_and_plain_inserts() {
    Map<String, Double> figures =
        run(
            "drain",
            "--json",
            "--rounds=1",
            "--messages=2000",
            "--old-rows=4000",
            "--tutorial-messages=500",
            "--transactions=400");
    assertThat(figures)
        .containsKeys(
            "drain_per_second",
            "drain_vs_cursor",
            "drain_vs_tutorial",
            "wal_bytes_per_message",
            "dead_tuples_per_1k",
            "drain_vs_empty_with_old_rows",
            "drain_vs_idle_with_open_transaction",
            "writer_vs_plain_insert");
    assertThat(figures.values()).allMatch(figure -> figure >= 0);
  }

  @Test
  void latency_is_told_for_one_instance_three_a_relay_beside_and_a_hand_off() {
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
  void rescue_loses_no_letter_and_tells_the_latency_of_live_traffic() {
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
}

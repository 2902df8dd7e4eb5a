package io.posthorn.benchmarks;

import static io.posthorn.benchmarks.BenchRun.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The longest benchmark, in its own class: it must run and report its figures. */
class DrainBenchTest {
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
            "writer_vs_plain_insert",
            "writer_vs_plain_insert_without_finding");
    assertThat(figures.values()).allMatch(figure -> figure >= 0);
  }
}

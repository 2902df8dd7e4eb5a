package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.terminal.Canvas;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoScreenTest {
  @ParameterizedTest
  @CsvSource({"24, 80", "40, 90"})
  void everything_has_its_place_from_80_columns_and_24_rows_on(int rows, int columns) {
    String screen = draw(rows, columns);

    assertThat(screen)
        .contains("posthorn demo", "1230:00")
        .contains("│ 123k tx/s    │", "│ 12k waiting  │", "│ p50 12.3 s   │", "│ 1.2M undone  │")
        .contains("payments 9,876,543")
        .contains("committed")
        .contains("relay-2", "× killed -9", "stock, payments, mail (lease: 2.9 s)")
        .contains("relay-2, 99.9 s ago, held stock, payments, mail; taken over in 12.3 s")
        .contains("00:07  relay-2 (pid 1234567) killed -9, it held stock, payments, mail")
        .contains("Ctrl-C to stop");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "5, 20", "10, 200", "60, 10"})
  void a_terminal_that_is_too_small_shows_a_part(int rows, int columns) {
    assertThat(draw(rows, columns).lines()).allMatch(line -> line.length() <= columns);
  }

  @Test
  void before_the_first_kill_there_is_nothing_to_tell() {
    Canvas canvas = new Canvas(24, 80);
    DemoScreen.draw(canvas, figures(null, List.of(), List.of()));

    assertThat(text(canvas)).contains("none yet");
  }

  private static String draw(int rows, int columns) {
    Canvas canvas = new Canvas(rows, columns);
    var kill =
        new Figures.LastKill(
            "relay-2",
            1234567,
            Duration.ofMillis(99_900),
            Shop.DESTINATIONS,
            Duration.ofMillis(12_300));
    List<String> events =
        Collections.nCopies(
            9, "00:07  relay-2 (pid 1234567) killed -9, it held stock, payments, mail");
    List<Long> throughput = IntStream.range(0, 300).mapToObj(i -> (long) i % 70).toList();
    DemoScreen.draw(canvas, figures(kill, throughput, events));
    return text(canvas);
  }

  private static String text(Canvas canvas) {
    return String.join("\n", IntStream.range(0, canvas.rows()).mapToObj(canvas::row).toList());
  }

  private static Figures figures(
      Figures.LastKill kill, List<Long> throughput, List<String> events) {
    Map<String, Long> delivered = new LinkedHashMap<>();
    Shop.DESTINATIONS.forEach(name -> delivered.put(name, 9_876_543L));
    return new Figures(
        18,
        65_432,
        Duration.ofMinutes(1230),
        123_456,
        9_888_888,
        1_234_567,
        delivered,
        9_876_543,
        0,
        0,
        1_234,
        0,
        12_345,
        List.of(
            new Figures.RelayLine(
                "relay-1", 7654321, RelayProcess.State.SERVING, List.of(), Duration.ZERO),
            new Figures.RelayLine(
                "relay-2",
                1234567,
                RelayProcess.State.KILLED,
                Shop.DESTINATIONS,
                Duration.ofMillis(2_900))),
        321,
        kill,
        Duration.ofMillis(12_300),
        throughput,
        events,
        "Ctrl-C to stop");
  }
}

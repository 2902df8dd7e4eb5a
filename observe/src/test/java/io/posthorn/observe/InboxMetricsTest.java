package io.posthorn.observe;

import static io.posthorn.observe.RunningSystem.BOOKS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.observe.RunningSystem.Program;
import io.posthorn.testkit.MemorySource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a scrape shows of a running consumer. */
class InboxMetricsTest {
  private final RunningSystem system = new RunningSystem();
  private final MemorySource source = new MemorySource(1, 42).withoutSequences();

  @AfterEach
  void stop() {
    system.close();
  }

  private static Message message(String type, String key, long sequence) {
    return Message.of(type)
        .key("Thing", key)
        .json((key + sequence).getBytes(UTF_8))
        .build()
        .withSequence(sequence);
  }

  @Test
  void what_is_handled_repeated_stale_or_fails_is_counted_for_each_consumer() {
    Program program = system.start();
    Message first = message("Changed", "a", 2);
    source.publish(first, first, message("Changed", "b", 1), message("Changed", "a", 1));
    source.publish(message("Unheard", "c", 1), message("Poison", "d", 1));
    system.consumer(program, source);
    program.eventually(2, "inbox_handled_total", "consumer", BOOKS, "type", "Changed");
    program.eventually(1, "inbox_duplicates_total", "consumer", BOOKS);
    program.eventually(1, "inbox_stale_total", "consumer", BOOKS);
    program.eventually(1, "inbox_unknown_type_total", "type", "Unheard");
    // Its retries count as well.
    program.eventuallyAtLeast(
        1, "inbox_failed_total", "type", "Poison", "reason", "IllegalStateException");
    assertThat(program.value("inbox_lag_seconds_count", "consumer", BOOKS)).isEqualTo(2);
    assertThat(program.value("inbox_lag_seconds_sum", "consumer", BOOKS)).isBetween(0.0, 120.0);
  }

  @Test
  void messages_from_the_log_count_as_those_from_a_source_do() {
    Program program = system.start();
    system.consumerOfTheLog(program);
    system.add("Changed", "c");
    system.add("Poison", "p");
    program.eventually(1, "inbox_handled_total", "consumer", BOOKS, "type", "Changed");
    program.eventuallyAtLeast(
        2,
        "inbox_failed_total",
        "consumer",
        BOOKS,
        "type",
        "Poison",
        "reason",
        "IllegalStateException");
  }

  @Test
  void the_number_of_series_is_bounded_here_too() {
    Program program = system.start(3);
    for (int n = 0; n < 20; n++) {
      source.publish(message("Type" + n, "k" + n, 1));
    }
    system.consumer(program, source);
    program.eventually(20, "inbox_unknown_type_total");
    assertThat(program.value("inbox_unknown_type_total", "type", Labels.OTHER)).isEqualTo(17);
  }
}

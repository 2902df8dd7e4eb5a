package io.posthorn.observe;

import static io.posthorn.observe.RunningSystem.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.observe.RunningSystem.Program;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a scrape shows of running relays. */
class MetricsTest {
  private final RunningSystem system = new RunningSystem();

  @AfterEach
  void stop() {
    system.close();
  }

  private static double value(Program program, String name, String... labels) {
    return program.value(name, labels);
  }

  private static void eventually(Program program, double value, String name, String... labels) {
    program.eventually(value, name, labels);
  }

  @Test
  void what_is_sent_is_counted_and_timed() {
    Program program = system.start();
    system.add("Paid", "1");
    system.add("Paid", "2");
    system.add("Shipped", "1");
    eventually(program, 2, "outbox_publish_success_total", "destination", MAIL, "type", "Paid");
    eventually(program, 1, "outbox_publish_success_total", "destination", MAIL, "type", "Shipped");
    assertThat(value(program, "outbox_send_seconds_count", "outcome", "sent")).isEqualTo(3);
    assertThat(value(program, "outbox_commit_to_sent_seconds_count")).isEqualTo(3);
    assertThat(value(program, "outbox_commit_to_sent_seconds_sum")).isBetween(0.0, 90.0);
    assertThat(value(program, "outbox_attempts_sum")).isEqualTo(3);
    assertThat(value(program, "outbox_batch_messages_sum", "from", "log")).isEqualTo(3);
    assertThat(value(program, "outbox_in_flight", "destination", MAIL)).isZero();
    assertThat(value(program, "outbox_lane_taken_total", "destination", MAIL)).isEqualTo(1);
    eventually(program, 0, "outbox_pending_count", "destination", MAIL, "estimated", "false");
    eventually(program, 0, "outbox_oldest_age_seconds", "destination", MAIL);
  }

  @Test
  void every_failed_call_counts_and_dead_messages_count_by_type_and_reason() {
    Program program = system.start();
    system.mail.outcome(
        message ->
            message.type().equals("Poison")
                ? Outcome.failedByMessage(Reason.of("HTTP_500", "no"))
                : Outcome.SENT);
    system.add("Good", "g");
    eventually(program, 1, "outbox_publish_success_total");
    system.add("Poison", "p");
    eventually(program, 1, "outbox_dead_total", "type", "Poison", "reason", Reason.RETRY_EXHAUSTED);
    assertThat(value(program, "outbox_publish_failure_total", "reason", "HTTP_500")).isEqualTo(3);
    eventually(program, 1, "outbox_dead_letters", "type", "Poison", "reason", "HTTP_500");
    eventually(program, 1, "outbox_dead_count", "destination", MAIL);
    eventually(program, 1, "outbox_held_keys", "destination", MAIL);
  }

  @Test
  void what_no_route_wants_is_counted_when_it_dies() {
    Program program = system.start(Set.of("Paid"));
    system.add("Stray", "s");
    system.add("Stray", "t");
    eventually(
        program,
        2,
        "outbox_dead_total",
        "destination",
        "unrouted",
        "type",
        "Stray",
        "reason",
        Reason.NO_ROUTE);
    eventually(program, 2, "outbox_dead_count", "destination", "unrouted");
  }

  @Test
  void an_outage_shows_though_no_attempt_counts_and_its_end_too() {
    Program program = system.start();
    system.add("Paid", "0");
    eventually(program, 1, "outbox_publish_success_total");
    system.mail.outcome(message -> Outcome.unavailable(Reason.of("CONNECTION", "refused")));
    system.add("Paid", "1");
    eventually(program, 1, "outbox_breaker_open", "destination", MAIL);
    eventually(program, 1, "outbox_destination_unavailable", "destination", MAIL);
    await().until(() -> value(program, "outbox_publish_failure_total") >= 3);
    await().until(() -> value(program, "outbox_oldest_age_seconds", "destination", MAIL) > 0);
    assertThat(value(program, "outbox_pending_count", "destination", MAIL)).isEqualTo(1);
    system.mail.outcome(message -> Outcome.SENT);
    eventually(program, 0, "outbox_breaker_open", "destination", MAIL);
    eventually(program, 0, "outbox_destination_unavailable", "destination", MAIL);
    eventually(program, 0, "outbox_pending_count", "destination", MAIL);
  }

  @Test
  void one_program_reports_the_database_and_another_takes_over_when_it_stops() {
    Program first = system.start();
    eventually(first, 1, "outbox_relays");
    Program second = system.start();
    eventually(first, 2, "outbox_relays");
    assertThat(value(second, "outbox_relays")).isEqualTo(-1);
    assertThat(value(second, "outbox_pending_count")).isEqualTo(-1);
    first.relay().close();
    assertThat(value(first, "outbox_relays")).isEqualTo(-1);
    eventually(second, 1, "outbox_relays");
    eventually(second, 1, "outbox_destination_served", "destination", MAIL);
  }

  @Test
  void values_that_cannot_be_read_are_not_reported() {
    Program program = system.start();
    eventually(program, 1, "outbox_relays");
    system.execute("ALTER TABLE posthorn_held RENAME TO away");
    system.execute("ALTER TABLE away RENAME COLUMN paused TO gone");
    eventually(program, -1, "outbox_pending_count");
    system.execute("ALTER TABLE away RENAME COLUMN gone TO paused");
    system.execute("ALTER TABLE away RENAME TO posthorn_held");
    eventually(program, 1, "outbox_relays");
  }

  @Test
  void the_number_of_series_is_bounded_however_many_types_there_are() {
    Program program = system.start(3);
    for (int n = 0; n < 20; n++) {
      system.add("Type" + n, "k" + n);
    }
    eventually(program, 17, "outbox_publish_success_total", "type", Labels.OTHER);
    eventually(program, 20, "outbox_publish_success_total");
  }
}

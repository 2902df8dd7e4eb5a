package io.posthorn.cli.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The {@code destinations} and {@code parked} commands. */
class SteeringTest extends OnDatabase {
  private static final String MESSAGE = "018f0c3e-7b1a-7c3d-9e4f-0123456789ab";
  private static final String PARK =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, waiting, next_attempt_at, attempts, last_reason, last_error)
      VALUES ('mail', '%s', 'OrderPlaced', 1, 'Order', 'o-1', '', 'text/plain', '{}', now(), now(), 1, 1, 'RETRY',
              now() + interval '1 hour', 2, 'HTTP_503', 'try later')
      """
          .formatted(MESSAGE);

  @BeforeEach
  void oneMessageIsParked() throws SQLException {
    PostgresqlStore.on(dataSource)
        .register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(PARK);
    }
  }

  @Test
  void destinations_are_listed_paused_resumed_and_limited() {
    assertThat(out("destinations", "list")).contains("mail", "not served", "none");
    assertThat(out("destinations", "pause", "mail", "--why", "moving house", "--who", "anna"))
        .contains("mail: paused");
    assertThat(out("destinations", "list")).contains("paused by anna: moving house");
    assertThat(out("status")).contains("paused by anna: moving house");
    assertThat(out("destinations", "resume", "mail", "--why", "moved")).contains("mail: resumed");
    assertThat(out("destinations", "limit", "mail", "--rate", "5", "--why", "slowly"))
        .contains("is now 5.0 per second");
    assertThat(out("destinations", "list", "--json")).contains("\"rate_per_second\":5.0");
    assertThat(run("destinations", "pause", "male", "--why", "x").err())
        .contains("no destination 'male'", "mail");
    assertThat(run("destinations", "pause", "mail").err()).contains("--why");
  }

  @Test
  void routes_are_listed_and_taken_away() {
    PostgresqlStore.on(dataSource)
        .register("crm", List.of(new ServedDestination("mail", Set.of("Paid"))));
    assertThat(out("destinations", "routes", "mail")).contains("all", "shop", "Paid", "crm");
    assertThat(out("destinations", "routes", "--json")).contains("\"application\":\"crm\"");
    assertThat(run("destinations", "narrow", "mail", "--why", "x").err()).contains("which routes?");
    assertThat(run("destinations", "narrow", "mail", "--type", "Paid", "--why", "gone").err())
        .contains("Remove 1 route to mail?", "--yes");
    assertThat(out("destinations", "narrow", "mail", "--type", "Paid", "--why", "gone", "--yes"))
        .contains("removed 1 route to mail");
    assertThat(out("destinations", "routes")).contains("shop").doesNotContain("Paid");
    Ran again = run("destinations", "narrow", "mail", "--type", "Paid", "--why", "gone", "--yes");
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).contains("nothing was done: mail has no such route");
  }

  @Test
  void a_destination_is_removed_after_a_question() {
    assertThat(run("destinations", "remove", "mail", "--why", "moved").err())
        .contains("Remove mail?", "(0 messages)", "its parked messages (1)", "--yes");
    assertThat(out("destinations", "list")).contains("mail");
    assertThat(out("destinations", "remove", "mail", "--yes", "--why", "moved"))
        .contains("removed mail; its parked messages became 1 dead letter");
    assertThat(out("destinations", "list")).doesNotContain("mail");
    assertThat(out("dead", "list", "--json")).contains("DESTINATION_REMOVED");
    assertThat(run("destinations", "remove", "mail", "--yes", "--why", "moved").err())
        .contains("there is no destination 'mail'");
    assertThat(run("destinations", "remove", "unrouted", "--yes", "--why", "x").err())
        .contains("belongs to Posthorn itself");
  }

  @Test
  void a_destination_that_is_rewound_says_by_which_operation() throws SQLException {
    UUID operation = UUID.randomUUID();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE posthorn_destination SET rewinding = '%s' WHERE name = 'mail'"
              .formatted(operation));
    }
    String text = "being rewound by " + operation;
    assertThat(out("destinations", "list")).contains(text);
    assertThat(out("status")).contains(text);
    String json = "\"rewound_by\":\"" + operation + "\"";
    assertThat(out("destinations", "list", "--json")).contains(json);
    assertThat(out("status", "--json")).contains(json);
  }

  @Test
  void everything_a_type_and_a_key_are_paused_and_resumed() {
    assertThat(out("destinations", "pause", "--all", "--why", "moving house", "--who", "anna"))
        .contains("all destinations: paused");
    assertThat(out("destinations", "list"))
        .contains("paused with all destinations by anna: moving house");
    assertThat(out("destinations", "resume", "--all", "--why", "moved")).contains("resumed");
    out("destinations", "pause", "mail", "--type", "OrderPlaced", "--why", "x");
    out("destinations", "pause", "mail", "--key", "Order/o-1", "--why", "y");
    assertThat(out("destinations", "list")).contains("OrderPlaced, 1 key");
    assertThat(out("destinations", "pauses"))
        .contains("type OrderPlaced of destination mail", "key Order/o-1 of destination mail");
    assertThat(out("destinations", "pauses", "--json")).contains("\"key\":\"Order/o-1\"");
    assertThat(out("parked", "list", "mail")).contains("a person: key paused");
    out(
        "destinations",
        "resume",
        "mail",
        "--aggregate-type",
        "Order",
        "--key",
        "o-1",
        "--why",
        "z");
    assertThat(out("destinations", "resume", "mail", "--key", "Order/o-1", "--why", "z"))
        .contains("not paused");
    assertThat(run("destinations", "pause", "--why", "x").err()).contains("or --all");
    assertThat(run("destinations", "pause", "mail", "--all", "--why", "x").err())
        .contains("or --all");
    assertThat(run("destinations", "pause", "--all", "--key", "a/b", "--why", "x").err())
        .contains("--key is for one destination");
  }

  @Test
  void all_of_a_key_are_listed_page_by_page() {
    assertThat(out("parked", "list", "mail", "--key", "Order/o-1", "--limit", "1"))
        .contains(MESSAGE, "--after " + MESSAGE);
    assertThat(out("parked", "list", "mail", "--key", "Order/o-1", "--after", MESSAGE))
        .contains("nothing is parked");
  }

  @Test
  void a_scheduled_message_gets_another_time() throws SQLException {
    assertThat(run("parked", "reschedule", "mail", MESSAGE, "--in", "2h", "--why", "x").err())
        .contains("not parked as scheduled", "waits for RETRY");
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE posthorn_parked SET waiting = 'TIME'");
    }
    out("parked", "reschedule", "mail", MESSAGE, "--at", "2030-01-01T10:00:00Z", "--why", "x");
    assertThat(out("parked", "list", "mail")).contains("2030-01-01T10:00:00Z", "TIME");
    assertThat(out("parked", "reschedule", "mail", MESSAGE, "--in", "2h", "--why", "sooner"))
        .contains(MESSAGE);
    assertThat(run("parked", "reschedule", "mail", MESSAGE, "--in", "soon", "--why", "x").err())
        .contains("is not a duration");
    assertThat(run("parked", "reschedule", "mail", MESSAGE, "--why", "x").err())
        .contains("--at", "--in");
    assertThat(out("audit", "list", "--json"))
        .contains("parked.reschedule", "\"after\":\"2030-01-01T10:00:00Z\"");
  }

  @Test
  void parked_messages_are_listed_tried_and_skipped() {
    assertThat(out("parked", "list", "mail")).contains(MESSAGE, "Order/o-1", "RETRY", "try later");
    assertThat(out("parked", "retry", "mail", "--key", "Order/o-1", "--why", "it is up again"))
        .contains("1 message will be retried now");
    Ran nothing = run("parked", "retry", "mail", "--key", "Order/o-9", "--why", "x");
    assertThat(nothing.code()).isEqualTo(1);
    assertThat(nothing.err()).contains("nothing was done: no parked message");
    assertThat(out("destinations", "pause", "mail", "--type", "Paid", "--why", "x"))
        .contains("paused");
    assertThat(out("status")).contains("not served, partly paused: Paid");
    out("destinations", "resume", "mail", "--type", "Paid", "--why", "x");
    String shortened = MESSAGE.substring(0, 13);
    assertThat(out("parked", "skip", "mail", shortened, "--why", "a test order"))
        .contains("skipped");
    assertThat(out("parked", "list", "mail")).contains("nothing is parked");
    assertThat(run("parked", "skip", "mail", MESSAGE, "--why", "again").err())
        .contains("not parked", "DISCARDED");
    String unknown = "00000000-0000-7000-8000-000000000000";
    assertThat(run("parked", "skip", "mail", unknown, "--why", "x").err())
        .contains("There is no such message");
    assertThat(out("parked", "release", "mail", "--key", "Order/o-1", "--why", "x"))
        .contains("was not held");
    assertThat(run("parked", "release", "mail", "--key", "o-1", "--why", "x").err())
        .contains("is not a key");
    assertThat(run("parked", "release", "mail", "--why", "x").err()).contains("which key?");
    assertThat(out("audit", "list")).contains("parked.retry", "parked.skip");
  }
}

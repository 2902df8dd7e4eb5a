package io.posthorn.cli.dead;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands for dead letters, operations and the audit, on a real database with a running relay.
 */
class DeadTest extends OnDatabase {
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private volatile boolean fixed;
  private Relay relay;

  @BeforeEach
  void threeLettersDie() throws SQLException {
    relay =
        Relay.on(PostgresqlStore.on(dataSource), "shop", "test")
            .destination(Destination.named("mail", receiver()).allTypes().build())
            .build()
            .start();
    Outbox outbox =
        Outbox.on(PostgresqlStore.on(dataSource), MessageTypes.named("OrderPlaced")).build();
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      for (int i = 1; i <= 3; i++) {
        outbox.add(
            tx,
            Message.of("OrderPlaced")
                .key("Order", "o-" + i)
                .json(("{\"n\":" + i + "}").getBytes(UTF_8))
                .build());
      }
      tx.commit();
    }
    Awaitility.await().until(() -> json("list").get("count").asInt() == 3);
  }

  @AfterEach
  void stop() {
    relay.close();
  }

  private Connector receiver() {
    return new Connector() {
      @Override
      public boolean serves(String type) {
        return true;
      }

      @Override
      public void send(List<Message> messages, Answers answers) {
        for (int i = 0; i < messages.size(); i++) {
          String content = new String(messages.get(i).payload(), UTF_8);
          if (fixed) {
            received.add(content);
            answers.answer(i, Outcome.SENT);
          } else {
            answers.answer(
                i, Outcome.rejected(Reason.of("HTTP_422", "order " + content + " has no 'price'")));
          }
        }
      }

      @Override
      public void close() {}
    };
  }

  private Ran runDead(String... args) {
    return run(Stream.concat(Stream.of("dead"), Stream.of(args)).toArray(String[]::new));
  }

  private Ran dead(String... args) {
    Ran ran = runDead(args);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
    return ran;
  }

  private JsonNode json(String... args) throws IOException {
    String[] all = Stream.concat(Stream.of(args), Stream.of("--json")).toArray(String[]::new);
    return new ObjectMapper().readTree(dead(all).out());
  }

  private String letter(String key) throws IOException {
    return json("list", "--key", key).get("letters").get(0).get("id").asText();
  }

  @Test
  void letters_are_listed_grouped_and_shown() throws IOException {
    assertThat(dead("list").out()).contains("LETTER", "HTTP_422", "o-1", "o-2", "o-3");
    assertThat(dead("list", "--limit", "1").out()).contains("1 of 3 shown");
    assertThat(dead("list", "--key", "none").out()).contains("no dead letters");
    assertThat(dead("list", "--key", "Order/o-2").out())
        .contains("Order/o-2")
        .doesNotContain("o-3");
    assertThat(dead("list", "--key", "Basket/o-2").out()).contains("no dead letters");
    assertThat(json("list", "--key", "o-2").get("letters").get(0).get("key").asText())
        .isEqualTo("Order/o-2");
    assertThat(dead("list", "--from", "1h", "--error", "NO 'PRICE'").out()).contains("o-3");
    JsonNode groups = json("groups");
    assertThat(groups).hasSize(1);
    assertThat(groups.get(0).get("letters").asInt()).isEqualTo(3);
    assertThat(dead("summary").out()).contains("3 dead letters wait", "HTTP_422", "OrderPlaced");
    String shown = dead("show", letter("o-2")).out();
    assertThat(shown).contains("Order/o-2", "REJECTED", "--payload shows them");
    assertThat(dead("show", letter("o-2"), "--payload").out()).contains("{\"n\":2}");
  }

  @Test
  void a_hostile_error_neither_steers_the_terminal_nor_forges_a_line()
      throws IOException, SQLException {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      String hostile =
          "'boom' || chr(27) || '[2J' || chr(155) || '31m' || chr(10) || 'state        SENT'";
      statement.execute(
          "UPDATE posthorn_dead SET error = %s, stack = %s, headers = jsonb_build_object('h', %s)"
              .formatted(hostile, hostile, hostile));
      statement.execute("UPDATE posthorn_attempt SET error = " + hostile);
    }
    String id = letter("o-1");
    for (Ran ran :
        List.of(
            dead("show", id),
            dead("show", id, "--json"),
            dead("list"),
            dead("groups"),
            dead("groups", "--json"))) {
      assertThat(ran.out()).contains("boom").doesNotContain("\u001b", "\u009b");
    }
    String beforeStack = dead("show", id).out().split("\\R\\R", 2)[0];
    assertThat(beforeStack.lines().filter(line -> line.startsWith("state")))
        .hasSize(1)
        .allMatch(line -> line.endsWith("DEAD"));
  }

  @Test
  void a_cause_has_a_note_and_an_owner() throws IOException {
    String cause = json("groups").get(0).get("cause").asText();
    dead("note", cause, "--note", "the price service is slow", "--owner", "team-b", "--why", "x");
    assertThat(dead("groups").out()).contains("team-b", "the price service is slow");
    assertThat(json("groups").get(0).get("owner").asText()).isEqualTo("team-b");
    assertThat(dead("show", letter("o-1")).out()).contains("owner        team-b");
    dead("note", cause, "--note", "", "--why", "not so");
    assertThat(json("groups").get(0).has("note")).isFalse();
    assertThat(run("dead", "note", "beef", "--note", "n", "--why", "x").err())
        .contains("no dead letter with cause 'beef'");
    assertThat(run("dead", "note", cause, "--why", "x").err()).contains("neither a note nor");
    assertThat(run("audit", "list", "--json").out()).contains("cause.note", "owner: team-b");
  }

  @Test
  void a_requeued_letter_arrives_and_the_list_shows_it() throws IOException {
    fixed = true;
    String id = letter("o-1");
    assertThat(dead("requeue", id, "--why", "price added").out()).contains("1 requeued");
    Awaitility.await()
        .untilAsserted(() -> assertThat(dead("show", id).out()).contains("then sent"));
    assertThat(received).containsExactly("{\"n\":1}");
    assertThat(json("list").get("count").asInt()).isEqualTo(2);
  }

  @Test
  void a_corrected_payload_arrives_and_is_shown_beside_the_old_one(@TempDir Path directory)
      throws IOException {
    fixed = true;
    Path file = Files.writeString(directory.resolve("payload.json"), "{\"n\":1,\"price\":2}");
    String id = letter("o-1");
    dead("requeue", id, "--payload", file.toString(), "--why", "price added");
    Awaitility.await()
        .untilAsserted(() -> assertThat(received).containsExactly("{\"n\":1,\"price\":2}"));
    assertThat(dead("show", id).out()).contains("corrected to 17 bytes").doesNotContain("price\"");
    assertThat(dead("show", id, "--payload").out())
        .containsSubsequence("{\"n\":1}", "corrected to:", "{\"n\":1,\"price\":2}");
    assertThat(json("show", id, "--payload").get("corrected_base64").binaryValue())
        .asString(UTF_8)
        .isEqualTo("{\"n\":1,\"price\":2}");
  }

  @Test
  void a_corrected_payload_that_is_no_json_is_refused_unless_it_is_meant(@TempDir Path directory)
      throws IOException {
    fixed = true;
    Path file = Files.writeString(directory.resolve("payload.json"), "{\"n\":1,");
    String[] requeue = {"requeue", letter("o-1"), "--payload", file.toString(), "--why", "a typo"};
    Ran refused = runDead(requeue);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("not valid JSON", "was not requeued");
    assertThat(json("list").get("count").asInt()).isEqualTo(3);
    dead(Stream.concat(Stream.of(requeue), Stream.of("--no-check")).toArray(String[]::new));
    Awaitility.await().untilAsserted(() -> assertThat(received).containsExactly("{\"n\":1,"));
  }

  @Test
  void what_fails_again_when_sent_once_is_dead_again() throws IOException {
    String id = letter("o-3");
    dead("send", id, "--why", "one try");
    Awaitility.await()
        .untilAsserted(() -> assertThat(dead("show", id).out()).contains("then dead again"));
    assertThat(json("list").get("count").asInt()).isEqualTo(3);
  }

  @Test
  void many_are_requeued_or_discarded_by_a_query_only_with_yes() throws IOException {
    Ran asked = run("dead", "discard", "--reason", "HTTP_422", "--why", "a test");
    assertThat(asked.code()).isEqualTo(1);
    assertThat(asked.err()).contains("Discard 3 dead letters?", "--yes");
    assertThat(run("dead", "discard", "--key", "o-1", "--why", "x").err()).contains("is not a key");
    assertThat(run("dead", "discard", "--key", "Order/o-1", "--why", "x").err())
        .contains("Discard 1 dead letter?");
    assertThat(json("list").get("count").asInt()).isEqualTo(3);
    assertThat(
            json("discard", "--reason", "HTTP_422", "--why", "a test", "--yes").get("done").asInt())
        .isEqualTo(3);
    assertThat(dead("list", "--state", "DISCARDED").out()).contains("o-1", "o-2", "o-3");
  }

  @Test
  void a_bulk_requeue_is_an_operation_that_can_be_watched_and_resumed() throws IOException {
    Ran stopped = run("dead", "requeue", "--all", "--canary", "1", "--why", "fixed?", "--yes");
    assertThat(stopped.code()).isEqualTo(3);
    assertThat(stopped.err()).contains("was stopped", "1 of 1 died again", "operations resume");
    JsonNode listed = new ObjectMapper().readTree(run("operations", "list", "--json").out()).get(0);
    assertThat(listed.get("state").asText()).isEqualTo("STOPPED");
    assertThat(listed.get("done").asInt()).isEqualTo(1);
    String id = listed.get("id").asText();
    assertThat(run("operations", "list").out()).contains(id, "REQUEUE", "STOPPED", "1 of 3");
    fixed = true;
    String shortened = id.substring(0, 8);
    assertThat(run("operations", "resume", shortened, "--why", "fixed now").out())
        .contains("resumed");
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(run("operations", "show", id).out())
                    .contains("3 of 3", "2 sent, 1 died again, 0 in flight", "DONE"));
    assertThat(received).containsExactlyInAnyOrder("{\"n\":2}", "{\"n\":3}");
    assertThat(run("operations", "stop", id, "--why", "x").err()).contains("it is DONE");
  }

  @Test
  void a_bulk_requeue_in_the_background_is_left_to_the_relays() {
    fixed = true;
    String out =
        dead("requeue", "--all", "--rate", "100", "--background", "--why", "fixed", "--yes").out();
    assertThat(out).contains("it is still running");
    Awaitility.await().untilAsserted(() -> assertThat(received).hasSize(3));
  }

  @Test
  void what_was_sent_is_sent_again() throws IOException {
    fixed = true;
    dead("requeue", "--all", "--why", "fixed", "--yes");
    Awaitility.await().untilAsserted(() -> assertThat(received).hasSize(3));
    Awaitility.await()
        .untilAsserted(() -> assertThat(dead("summary").out()).contains("3 requeued: 3 sent"));
    Ran rewound =
        run("destinations", "rewind", "mail", "--to", "1h", "--why", "data lost", "--yes");
    assertThat(rewound.err()).isEmpty();
    Awaitility.await().untilAsserted(() -> assertThat(received).hasSize(6));
    assertThat(run("destinations", "rewind", "none", "--to", "1h", "--why", "x", "--yes").err())
        .contains("there is no destination 'none'");
  }

  @Test
  void what_is_missing_is_asked_for() {
    assertThat(run("dead", "requeue", "--why", "x").err()).contains("which letters?");
    assertThat(run("dead", "requeue", "--all").err()).contains("--why");
    assertThat(run("dead", "list", "--from", "yesterday").err()).contains("--from is not a time");
    assertThat(run("dead", "show", "00000000-0000-0000-0000-000000000001").err())
        .contains("there is no dead letter");
  }

  @Test
  void a_rescue_that_did_nothing_to_a_letter_fails_and_says_why() throws IOException {
    String first = letter("o-1");
    dead("discard", first, "--why", "a test");
    for (String command : List.of("requeue", "send", "discard")) {
      Ran again = run("dead", command, first, "--why", "a test");
      assertThat(again.code()).as(command).isEqualTo(1);
      assertThat(again.err()).contains("letter " + first + " was not changed: ");
    }
    Ran json = run("dead", "requeue", first, letter("o-2"), "--why", "a test", "--json");
    assertThat(json.code()).as("done in part").isEqualTo(3);
    assertThat(json.out()).contains("\"done\":1", first);
    assertThat(json.err()).contains("1 of 2 dead letters were not changed");
    Ran nothing = run("dead", "requeue", "--reason", "HTTP_500", "--why", "a test", "--yes");
    assertThat(nothing.code()).isEqualTo(1);
    assertThat(nothing.err()).contains("nothing was done: no dead letter matches");
  }

  @Test
  void a_requeue_waits_until_the_messages_are_delivered() throws IOException {
    fixed = true;
    assertThat(dead("requeue", letter("o-1"), "--wait", "--why", "fixed").out())
        .contains("1 requeued");
    assertThat(received).containsExactly("{\"n\":1}");
    JsonNode rest = json("requeue", "--all", "--wait", "--timeout", "2m", "--why", "x", "--yes");
    assertThat(rest.get("sent").asInt()).isEqualTo(2);
    assertThat(received).hasSize(3);
    Ran rewound = run("destinations", "rewind", "mail", "--to=1h", "--why=lost", "--yes", "--wait");
    assertThat(rewound.err()).isEmpty();
    assertThat(rewound.out()).contains("3 sent");
    assertThat(received).hasSize(6);
  }

  @Test
  void a_requeue_that_waits_fails_if_a_message_dies_again() throws IOException {
    Ran named = runDead("requeue", letter("o-1"), "--wait", "--why", "fixed?");
    assertThat(named.code()).isEqualTo(4);
    assertThat(named.err()).contains("not delivered: 1 of 1", "dead groups");
    Ran bulk = runDead("send", "--all", "--stop-at", "100", "--wait", "--why", "x", "--yes");
    assertThat(bulk.code()).isEqualTo(4);
    assertThat(bulk.err()).contains("not delivered: 3 of 3");
    assertThat(bulk.out()).contains("3 of 3 queued for one attempt", "3 died again");
  }

  @Test
  void a_requeue_does_not_wait_longer_than_it_may() throws IOException {
    relay.close();
    Ran named = runDead("requeue", letter("o-1"), "--wait", "--timeout", "1s", "--why", "fixed?");
    assertThat(named.code()).isEqualTo(5);
    assertThat(named.err())
        .contains("not all was delivered within 1s: 1 of 1 on their way", "mail: not served");
    assertThat(named.out()).contains("1 requeued");
    Ran bulk = runDead("requeue", "--all", "--wait", "--timeout", "1s", "--why", "fixed?", "--yes");
    assertThat(bulk.code()).isEqualTo(5);
    assertThat(bulk.err()).contains("within 1s: 2 of 2 on their way");
    String id = bulk.out().replaceFirst("(?s).*operation (\\S+).*", "$1");
    assertThat(run("operations", "show", id, "--wait", "--timeout", "1s").code()).isEqualTo(5);
    assertThat(run("operations", "show", id, "--timeout", "1s").err()).contains("needs --wait");
  }

  @Test
  void the_first_digits_of_an_id_are_enough_if_they_are_unique() throws IOException, SQLException {
    String first = "3f2a0000-0000-4000-8000-000000000001";
    String second = "3f2a1111-0000-4000-8000-000000000001";
    rename(letter("o-1"), first);
    rename(letter("o-2"), second);
    assertThat(dead("show", "3f2a0").out()).contains(first, "Order/o-1");
    assertThat(dead("show", "3F2A1111-00").out()).contains(second);
    Ran ambiguous = runDead("discard", "3f2a", "--why", "x");
    assertThat(ambiguous.code()).isEqualTo(1);
    assertThat(ambiguous.err())
        .contains("nothing was done: 2 dead letters have ids that begin with '3f2a'")
        .contains(first + "  OrderPlaced  Order/o-1", second);
    assertThat(runDead("discard", "3f2a5", "--why", "x").err())
        .contains("no dead letter has an id that begins with '3f2a5'");
    Ran tooShort = runDead("show", "3f2");
    assertThat(tooShort.code()).isEqualTo(2);
    assertThat(tooShort.err()).contains("at least its first 4 digits");
    assertThat(json("list").get("count").asInt()).isEqualTo(3);
    assertThat(json("discard", "3f2a0", "--why", "x").get("done").asInt()).isEqualTo(1);
    String message = json("show", "3f2a1").get("message_id").asText();
    assertThat(json("list", "--message", message.substring(0, 23)).get("count").asInt())
        .isEqualTo(1);
    assertThat(run("messages", "find", message.substring(0, 23)).out()).contains(message, "o-2");
  }

  private void rename(String letter, String id) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("UPDATE posthorn_dead SET id = '%s' WHERE id = '%s'".formatted(id, letter));
    }
  }

  @Test
  void the_audit_shows_who_did_what_and_detects_a_change() throws IOException, SQLException {
    dead("discard", letter("o-1"), "--why", "a test", "--who", "anna");
    dead("discard", letter("o-2"), "--why", "a test", "--who", "ben");
    assertThat(run("audit", "list").out()).contains("anna", "ben", "dead.discard");
    assertThat(run("audit", "verify").out()).contains("checked 2 entries: none was changed");
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute("DELETE FROM posthorn_audit"))
          .hasMessageContaining("append-only");
      statement.execute("ALTER TABLE posthorn_audit DISABLE TRIGGER append_only");
      statement.execute("UPDATE posthorn_audit SET who = 'carl' WHERE n = 1");
    }
    Ran changed = run("audit", "verify");
    assertThat(changed.code()).isEqualTo(6);
    assertThat(changed.err()).contains("entry 1 is missing or changed");
  }
}

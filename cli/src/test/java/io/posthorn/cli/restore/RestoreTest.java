package io.posthorn.cli.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.restore.SentJournal;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@code adopt} and {@code fence} commands. */
class RestoreTest extends OnDatabase {
  private final PostgresqlStore store = PostgresqlStore.on(dataSource);

  @BeforeEach
  void aCopyWithOneUndeliveredMessage() throws SQLException {
    store.verify("production");
    store.register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.append(connection, List.of(Message.of("OrderPlaced").build()), List.of(""), false);
      connection.commit();
    }
  }

  @Test
  void a_copy_is_fenced_looked_at_and_adopted() {
    assertThat(out("fence", "--why", "a copy for staging"))
        .contains("no relay sends from this database");
    assertThat(out("fence", "--why", "a copy for staging")).contains("already");
    assertThatThrownBy(() -> store.verify("staging")).hasMessageContaining("fenced");
    Ran asked = run("adopt", "--environment", "staging", "--send-undelivered", "--why", "tests");
    assertThat(asked.code()).isNotZero();
    assertThat(asked.out()).contains("fenced: production", "mail", "UNDELIVERED");
    assertThat(asked.out()).contains("belong to production.", "--as-sent");
    assertThat(asked.err()).contains("send 1 message and 0 parked messages", "--yes");
    assertThat(out("adopt", "--environment", "staging", "--as-sent", "--why", "tests", "--yes"))
        .contains("adopted");
    store.verify("staging");
    assertThat(store.destinations()).allSatisfy(status -> assertThat(status.parked()).isZero());
    assertThat(out("audit", "list")).contains("restore.fence", "restore.adopt");
  }

  @Test
  void undelivered_messages_are_sent_only_with_the_option() {
    Ran ran = run("adopt", "--environment", "test", "--why", "restored", "--yes");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("--as-sent", "--send-undelivered", "--same-history");
    store.verify("production");
    String json =
        out(
            "adopt",
            "--environment",
            "test",
            "--send-undelivered",
            "--why",
            "restored",
            "--yes",
            "--json");
    assertThat(json).contains("\"environment\":\"test\"", "\"undelivered\":1");
    assertThat(out("parked", "list", "mail")).contains("OrderPlaced");
  }

  @Test
  void two_ways_at_once_are_not_understood() {
    Ran ran =
        run("adopt", "--environment", "x", "--as-sent", "--same-history", "--why", "y", "--yes");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("--same-history");
  }

  @Test
  void messages_that_were_sent_and_that_the_database_does_not_know_are_listed(
      @TempDir Path directory) throws SQLException {
    UUID known = UUID.randomUUID();
    UUID ghost = UUID.randomUUID();
    try (Connection connection = dataSource.getConnection();
        SentJournal journal = SentJournal.in(directory)) {
      connection.setAutoCommit(false);
      Message stored = Message.of("OrderPlaced").id(known).build();
      store.append(connection, List.of(stored), List.of(""), false);
      connection.commit();
      for (UUID id : List.of(known, ghost)) {
        Message sent = Message.of("OrderPlaced").id(id).build();
        Delivery delivery = new Delivery(sent, 1, Instant.now(), 0, Duration.ZERO, false, null);
        journal.on(new Event.Confirmed("mail", delivery));
      }
    }
    Ran ran = run("ghosts", "--journal", directory.toString());
    assertThat(ran.code()).isEqualTo(6);
    assertThat(ran.out())
        .contains(ghost.toString(), "mail", "1 of 2 sent messages")
        .doesNotContain(known.toString());
    Ran nothing = run("ghosts", "--journal", directory.toString(), "--from", "0s");
    assertThat(nothing.code()).isZero();
    Ran wrong = run("ghosts", "--journal", directory.resolve("none").toString());
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(wrong.err()).contains("none");
  }
}

package io.posthorn.cli.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@code retention} commands, and {@code destinations spill}. */
class RetentionTest extends OnDatabase {
  private static final String OLD_LETTER =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, payload, content_type, headers, occurred_at, recorded_at,
              seq, position, reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at,
              created_at)
      VALUES ('mail', gen_random_uuid(), 'OrderPlaced', 1, '', 'x/y', '{}', now(), now(), 1, 1, 'R', 'R', 'e', 'f', 1,
              now(), now(), now() - interval '%s')
      """;

  private static final String OLD_MESSAGE =
      """
      INSERT INTO posthorn_log (id, type, payload, recorded_at, slot)
      VALUES (gen_random_uuid(), 'OrderPlaced', '', now() - interval '9 days', posthorn_slot(now() - interval '9 days'))
      """;

  // All destinations passed the message long ago.
  private static final String ALL_PASSED =
      """
      INSERT INTO posthorn_progress (destination, lane, id, at, s1, low1, last_seq)
      SELECT destination, lane, gen_random_uuid(), now() - interval '2 hours', pg_current_snapshot(), 1, 0
        FROM posthorn_lane
       WHERE destination IN (%s)
      """;

  @TempDir Path directory;

  @BeforeEach
  void anOldMessageAndLetters() throws SQLException {
    PostgresqlStore.on(dataSource)
        .register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    execute(OLD_MESSAGE);
    execute(OLD_LETTER.formatted("40 days"));
    execute(OLD_LETTER.formatted("25 days"));
    execute(ALL_PASSED.formatted("'unrouted'"));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void show_says_what_waits_and_for_whom_and_what_expires() {
    assertThat(out("retention", "show"))
        .contains("posthorn_log_", "waits: destination 'mail' has not passed it", "mail")
        .contains("2 dead letters of mail will be removed within a week");
    assertThat(out("retention", "show", "--json")).contains("\"waits_for\":[\"destination 'mail'");
    assertThat(run("retention", "show", "--retention", "soon").err())
        .contains("--retention is not a duration");
  }

  @Test
  void what_is_removed_is_archived_verified_and_taken_back() throws Exception {
    String archive = directory.toString();
    assertThat(out("retention", "run", "--archive-dir", archive))
        .contains("waits: ", "'mail'", "0 leaves emptied, 1 dead letter removed");
    execute(ALL_PASSED.formatted("'mail'"));
    assertThat(out("retention", "run", "--archive-dir", archive))
        .contains("archiving posthorn_log_", "emptied posthorn_log_", "1 message archived");
    assertThat(run("retention", "run").err()).contains("is in use", "posthorn retention forget");
    Ran unknown = run("retention", "forget", "none", "--why", "x");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("nothing was done: the archive 'none' was not known");
    assertThat(verify().out())
        .contains("letters", "messages", "complete and unchanged: 2 files with 2 lines");
    assertThat(out("retention", "import", archive, "--why", "to look"))
        .contains("imported: 1 message and 1 dead letter; already present: 0");
    assertThat(out("retention", "import", archive, "--why", "again"))
        .contains("imported: 0 messages and 0 dead letters; already present: 2");
    assertThat(out("dead", "list")).contains("40 days ago");
    assertThat(out("audit", "list")).contains("dead.expire", "archive.restore");
    assertThat(out("retention", "forget", "files " + directory.toRealPath(), "--why", "no more"))
        .contains("is forgotten");
    assertThat(out("retention", "run")).contains("0 messages archived");
  }

  @Test
  void letters_are_taken_back_from_the_archives_table_too() {
    assertThat(out("retention", "run", "--archive-table")).contains("1 dead letter removed");
    assertThat(run("retention", "import", "--why", "x").err()).contains("--table");
    assertThat(out("retention", "import", "--table", "--why", "to look"))
        .contains("imported: 0 messages and 1 dead letter; already present");
    assertThat(out("dead", "list")).contains("40 days ago");
    assertThat(out("retention", "import", "--letter", UUID.randomUUID().toString(), "--why", "x"))
        .contains("0 dead letters; already present or not in the table: 1");
  }

  private Ran verify() {
    return Ran.posthorn("retention", "verify", directory.toString());
  }

  @Test
  void a_damaged_archive_is_named() throws IOException {
    out("retention", "run", "--archive-dir", directory.toString());
    Path file;
    try (var files = Files.list(directory)) {
      file = files.findFirst().orElseThrow();
    }
    Files.write(file, new byte[] {1});
    Ran ran = verify();
    assertThat(ran.code()).isEqualTo(6);
    assertThat(ran.err()).contains("damaged: 1 of 1 file", file.getFileName().toString());
  }

  @Test
  void a_destination_is_spilled() {
    assertThat(out("destinations", "spill", "mail", "--why", "its disk is full"))
        .contains("parked 1 message for mail");
    assertThat(out("audit", "list")).contains("destination.spill", "its disk is full");
    assertThat(run("destinations", "spill", "male", "--why", "x").err())
        .contains("'male' is not a destination");
  }
}

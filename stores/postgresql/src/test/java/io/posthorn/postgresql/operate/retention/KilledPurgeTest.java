package io.posthorn.postgresql.operate.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.ArchiveFiles;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A purge is killed (kill -9) at every step of its work, again and again: no row is removed before
 * the archive has it, the archive stays complete, and the next purge finishes the work.
 */
class KilledPurgeTest {
  private static final int MESSAGES = 17_000;
  private static final int LETTERS = 450;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NEVER = "never";

  private static final String BURY =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, payload, content_type, headers, occurred_at, recorded_at,
              seq, position, reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at,
              created_at)
      SELECT 'shop', gen_random_uuid(), 'Tested', 1, '\\x00ff', 'x/y', '{}', now(), now(), n, n, 'R', 'R', 'e', 'f', 1,
             now(), now(), now() - interval '40 days'
        FROM generate_series(1, %d) n
      """
          .formatted(LETTERS);

  // Large, so that writing a file takes a while.
  private static final String LARGE =
      """
      UPDATE posthorn_log
         SET payload = (SELECT decode(string_agg(md5(random()::text || n), ''), 'hex') FROM generate_series(1, 6000) n)
       WHERE seq % 50 = 0
      """;

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private String url;

  @TempDir Path directory;

  @BeforeEach
  void add() {
    OldMessages.add(database, MESSAGES);
    database.execute(BURY);
    url = TestServer.newest().postgres().jdbcUrl(database.name());
  }

  @AfterEach
  void close() {
    database.discard();
  }

  private JavaProcess purge(String archive, String stopAt) {
    return JavaProcess.of(PurgeMain.class).args(url, archive, stopAt).start();
  }

  private void killAt(String archive, String step) {
    try (JavaProcess process = purge(archive, step)) {
      process.awaitLine(line -> line.equals("STOPPED"), PATIENCE);
      process.kill();
    }
  }

  private void finish(String archive) {
    try (JavaProcess process = purge(archive, NEVER)) {
      assertThat(process.awaitExit(PATIENCE)).isZero();
    }
  }

  private long count(String what) {
    return Jdbc.number(database.dataSource(), "SELECT count(*) FROM " + what);
  }

  private long files() {
    return Objects.requireNonNull(directory.toFile().list()).length;
  }

  private long restored() {
    long restored = 0;
    for (Path file : ArchiveFiles.in(directory)) {
      Part part = ArchiveFiles.read(file);
      int lines = store.restore(part, new Actor("anna", "a test"));
      restored += part.kind() == Part.Kind.MESSAGES ? lines : 0;
    }
    return restored;
  }

  @Test
  void a_file_archive_loses_nothing_and_no_partial_file_counts_as_complete() {
    String files = directory.toString();
    for (String step :
        List.of("appending MESSAGES 1", "appended MESSAGES 1", "appended MESSAGES 2")) {
      killAt(files, step);
      assertThat(count("posthorn_log")).as("after " + step).isEqualTo(MESSAGES);
    }
    killAt(files, "removing dead letters, 0");
    assertThat(count("posthorn_log")).isZero();
    for (String step : List.of("appended LETTERS", "removing dead letters, 2")) {
      killAt(files, step);
    }
    finish(files);
    assertThat(count("posthorn_dead")).isZero();
    assertThat(restored()).isEqualTo(MESSAGES);
    assertThat(count("posthorn_dead")).isEqualTo(LETTERS);
  }

  @Test
  void with_the_table_every_message_and_letter_is_there_once() {
    for (String step :
        List.of(
            "appended MESSAGES 1",
            "appending MESSAGES 2",
            "appended LETTERS",
            "removing dead letters, 2")) {
      killAt("table", step);
    }
    finish("table");
    assertThat(count("posthorn_log")).isZero();
    assertThat(count("posthorn_dead")).isZero();
    assertThat(count("posthorn_archive")).isEqualTo(MESSAGES);
    assertThat(count("posthorn_archive_dead")).isEqualTo(LETTERS);
  }

  @Test
  void at_any_moment_of_writing_a_file_a_kill_leaves_an_archive_that_can_be_read() {
    database.execute(LARGE);
    Random random = new Random(7);
    for (int kill = 0; kill < 6; kill++) {
      long before = files();
      try (JavaProcess process = purge(directory.toString(), NEVER)) {
        while (files() == before && process.isRunning()) {
          LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
        }
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(100_000)));
        process.kill();
      }
      for (Path file : ArchiveFiles.in(directory)) {
        assertThat(ArchiveFiles.read(file).lines()).isNotEmpty();
      }
    }
    finish(directory.toString());
    assertThat(count("posthorn_log")).isZero();
    assertThat(restored()).isEqualTo(MESSAGES);
  }
}

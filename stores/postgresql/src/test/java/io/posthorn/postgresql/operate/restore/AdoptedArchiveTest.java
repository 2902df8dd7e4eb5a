package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Adopting empties the log; messages that an archive should still get must not vanish unnoticed.
 */
class AdoptedArchiveTest {
  private static final Actor ANNA = new Actor("anna", "restored");

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void close() {
    database.close();
  }

  private Archive archiveInUse() {
    Archive archive = lanes.store().archiveTable();
    lanes.store().purge(RetentionTimes.DEFAULT, archive, step -> true);
    return archive;
  }

  private void adopt(Adopt how) {
    Restore.on(database.operator()).adopt("production", how, ANNA);
  }

  private List<String> notes() {
    return database.query(
        "SELECT archive || ':' || leaf FROM posthorn_archived ORDER BY 1", row -> row.getString(1));
  }

  @ParameterizedTest
  @EnumSource(names = {"SEND_UNDELIVERED", "AS_SENT"})
  void what_an_archive_in_use_may_not_have_is_not_removed_before_a_person_gives_it_up(Adopt how) {
    Archive archive = archiveInUse();
    lanes.add(keyed("k", "1"), keyed("k", "2"));
    Refused.with(ErrorCode.ARCHIVE_IN_USE, () -> adopt(how))
        .hasMessageContainingAll(
            "2 messages", "posthorn retention forget \"" + archive.name() + "\"", "adopt again");
    assertThat(database.logged()).hasSize(2);
    database.operator().forgetArchive(archive.name(), ANNA);
    adopt(how);
    assertThat(database.logged()).isEmpty();
  }

  @Test
  void with_the_same_history_the_log_stays_and_so_the_archive_stays_in_use() {
    Archive archive = archiveInUse();
    lanes.add(keyed("k", "1"));
    adopt(Adopt.SAME_HISTORY);
    assertThat(database.logged()).hasSize(1);
    assertThat(notes()).containsExactly(archive.name() + ":");
  }

  // The archive's progress is noted as transactions, which mean nothing on another server.
  @Test
  void what_an_archive_has_of_each_leaf_is_forgotten_and_that_it_is_in_use_is_not() {
    Archive archive = archiveInUse();
    database.execute(
        "INSERT INTO posthorn_archived (archive, leaf, s1) VALUES ('%s', 'posthorn_log_03', '900000000:900000000:')"
            .formatted(archive.name()));
    adopt(Adopt.SEND_UNDELIVERED);
    assertThat(notes()).containsExactly(archive.name() + ":");
  }
}

package io.posthorn.postgresql.operate.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.ArchiveFiles;
import io.posthorn.core.operate.archive.FileArchive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every field of a message survives the way into the archive, as a table and as files, and back.
 */
class ArchiveTableTest {
  private static final String COLUMNS =
      """
      SELECT md5(string_agg(row (seq, id, recorded_at, type, schema_version, aggregate_type, key, payload, content_type,
                                 headers, cipher_key, occurred_at, not_before)::text, '' ORDER BY seq)) || count(*)
        FROM %s
      """;

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @TempDir Path directory;

  @AfterEach
  void close() {
    database.discard();
  }

  private String content(String table) {
    return database.query(COLUMNS.formatted(table), row -> row.getString(1)).get(0);
  }

  private void purge(Archive archive) {
    assertThat(store.purge(RetentionTimes.DEFAULT, archive, step -> true).emptied()).isNotEmpty();
  }

  @Test
  void a_table_keeps_every_field() {
    OldMessages.add(database, 6_000);
    String before = content("posthorn_log");
    purge(store.archiveTable());
    assertThat(content("posthorn_archive")).isEqualTo(before);
    assertThat(database.logged()).isEmpty();
  }

  @Test
  void files_keep_every_field_and_bring_it_back() {
    OldMessages.add(database, 6_000);
    String before = content("posthorn_log");
    purge(FileArchive.in(directory));
    assertThat(database.logged()).isEmpty();
    List<Path> files = ArchiveFiles.in(directory);
    assertThat(files).hasSizeGreaterThan(1);
    int restored = 0;
    for (Path file : files) {
      restored += store.restore(ArchiveFiles.read(file), new Actor("anna", "to look at it"));
    }
    assertThat(restored).isEqualTo(6_000);
    assertThat(content("posthorn_archive")).isEqualTo(before);
  }
}

package io.posthorn.postgresql.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The tables' keys must not be sorted by a language. Its order changes with the system's libraries,
 * and an index in the old order no longer finds its rows. If a parked key is not found, the next
 * message passes it.
 */
class CollationTest {
  private static final String SORTED_BY_A_LANGUAGE =
      """
      SELECT DISTINCT pg_get_indexdef(i.indexrelid)
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid
       CROSS JOIN unnest(i.indcollation::oid[]) AS k (sorted_by)
       WHERE c.relname LIKE 'posthorn%'
         AND k.sorted_by <> 0
         AND k.sorted_by <> 'pg_catalog."C"'::regcollation
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();

  @AfterEach
  void close() {
    database.close();
  }

  /** The index by correlation id may, because only people use it, with their own words. */
  @Test
  void no_index_of_delivery_depends_on_how_a_language_sorts() {
    assertThat(Jdbc.query(database.dataSource(), SORTED_BY_A_LANGUAGE, row -> row.getString(1)))
        .isNotEmpty()
        .allMatch(index -> index.contains("(((headers)::jsonb ->> 'correlation-id'::text)), seq)"));
  }
}

package io.posthorn.benchmarks;

/** What the server has written, as it says itself. */
final class Wal {
  private static final String POSITION =
      "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";

  // An update or a delete leaves one dead row, and so does an insert that was rolled back. VACUUM
  // and TRUNCATE take them out of the second count, not out of the first.
  private static final String DEAD =
      """
      SELECT coalesce(sum(greatest(n_tup_upd + n_tup_del, n_dead_tup)), 0)
        FROM pg_stat_user_tables
       WHERE relname LIKE 'posthorn\\_%'
      """;

  private Wal() {}

  /** In bytes. */
  static double position(Database database) {
    return database.number(POSITION);
  }

  /** Rows of Posthorn's tables that have died; sessions tell the last of it when they end. */
  static double deadRows(Database database) {
    return database.number(DEAD);
  }
}

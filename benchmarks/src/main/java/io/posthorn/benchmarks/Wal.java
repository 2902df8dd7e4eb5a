package io.posthorn.benchmarks;

/** The server's own statistics about what it has written. */
final class Wal {
  private static final String POSITION =
      "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";

  // An update or a delete leaves one dead row, and so does an insert that was rolled back. VACUUM
  // and TRUNCATE reset the second count, but not the first.
  private static final String DEAD =
      """
      SELECT coalesce(sum(greatest(n_tup_upd + n_tup_del, n_dead_tup)), 0)
        FROM pg_stat_user_tables
       WHERE relname LIKE 'posthorn\\_%'
      """;

  private Wal() {}

  /** Returns the position of the WAL in bytes. */
  static double position(Database database) {
    return database.number(POSITION);
  }

  /**
   * Returns the number of dead rows that Posthorn's tables have had. Sessions report their last
   * ones when they end.
   */
  static double deadRows(Database database) {
    return database.number(DEAD);
  }
}

package io.posthorn.postgresql;

/** A table that is a ring of leaves, one for each day modulo their number. */
enum Ring {
  LOG("posthorn_log"),
  PROGRESS("posthorn_progress");

  /** As many as the migration made. */
  static final int LEAVES = 16;

  /** A leaf is never emptied on its own day, the day before or the day after. */
  static final int MARGIN = 3;

  private final String table;

  Ring(String table) {
    this.table = table;
  }

  String leaf(int slot) {
    return "%s_%02d".formatted(table, slot);
  }
}

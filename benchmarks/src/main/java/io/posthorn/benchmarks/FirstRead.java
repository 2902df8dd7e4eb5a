package io.posthorn.benchmarks;

/**
 * Measures the first read of messages after a checkpoint. With checksums, the first read of a row
 * after a checkpoint writes its whole page to the WAL, for a relay and a SELECT alike. In
 * production, a message is normally read before the next checkpoint.
 */
final class FirstRead {
  private final Database database;
  private final Backlog backlog;
  private final int messages;

  FirstRead(Database database, int messages) {
    this.database = database;
    this.backlog = new Backlog(database);
    this.messages = messages;
    // Registers the destination, so that messages wait for it from now on.
    new DrainRelay(database).start().close();
  }

  DrainRelay.Run byRelay() {
    write();
    try (DrainRelay relay = new DrainRelay(database)) {
      return relay.startAndDrain(messages);
    }
  }

  /** Returns the WAL bytes per message of a cursor, which itself writes nothing. */
  double byCursor() {
    write();
    double before = Wal.position(database);
    CursorRead.perSecond(database, messages);
    return (Wal.position(database) - before) / messages;
  }

  private void write() {
    backlog.clear();
    backlog.write(messages);
    database.execute("CHECKPOINT");
  }
}

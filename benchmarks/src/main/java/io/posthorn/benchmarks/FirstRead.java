package io.posthorn.benchmarks;

/**
 * Messages written while no relay was running and not read since a checkpoint. With checksums,
 * whoever reads a row first after a checkpoint, be it a relay or a SELECT, has its whole page
 * written to the WAL; in daily life a message is read before the next checkpoint.
 */
final class FirstRead {
  private final Database database;
  private final Backlog backlog;
  private final int messages;

  FirstRead(Database database, int messages) {
    this.database = database;
    this.backlog = new Backlog(database);
    this.messages = messages;
    // From now on the destination is known, and messages wait for it.
    new DrainRelay(database).start().close();
  }

  DrainRelay.Run byRelay() {
    write();
    try (DrainRelay relay = new DrainRelay(database)) {
      return relay.startAndDrain(messages);
    }
  }

  /** The WAL bytes per message of a cursor, which writes nothing of its own. */
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

package io.posthorn.benchmarks;

/**
 * Measures in turns: a log with only the backlog, the same log read by a plain cursor, the same
 * beside another session's open transaction, a log with old messages, and the design of tutorials.
 */
final class DrainRounds implements AutoCloseable {
  /** The old messages are spread over the leaves of a week. */
  private static final int OLD_DAYS = 7;

  final Series empty = new Series();
  final Series cursor = new Series();
  final Series open = new Series();
  final Series old = new Series();
  final Series tutorial = new Series();
  final Series wal = new Series();
  private final int messages;
  private final Database database;
  private final Backlog backlog;
  private final DrainRelay relay;
  private final Backlog agedBacklog;
  private final DrainRelay agedRelay;
  private long delivered;

  /**
   * @param database for drains without old messages
   * @param aged for drains with old messages
   */
  DrainRounds(Database database, Database aged, int messages) {
    this.messages = messages;
    this.database = database;
    this.backlog = new Backlog(database);
    this.relay = new DrainRelay(database).start();
    this.agedBacklog = new Backlog(aged);
    this.agedRelay = new DrainRelay(aged).start();
  }

  /** Writes and delivers the old messages, and runs every measurement once. */
  void warmUp(int oldRows) {
    drain(agedRelay, agedBacklog, oldRows, OLD_DAYS);
    withoutOldRows();
    withOldRows();
    empty.forget();
    cursor.forget();
    open.forget();
    old.forget();
    wal.forget();
  }

  void round(int tutorialMessages) {
    withoutOldRows();
    withOldRows();
    tutorial.add(new Tutorial(database).perSecond(tutorialMessages));
  }

  private void withoutOldRows() {
    backlog.clear();
    relay.pause();
    backlog.write(messages);
    backlog.rest();
    cursor.add(CursorRead.perSecond(database, messages));
    DrainRelay.Run run = relay.drain(messages);
    empty.add(run.perSecond());
    wal.add(run.walBytes());
    backlog.clear();
    try (OpenTransaction foreign = new OpenTransaction(database)) {
      open.add(drain(relay, backlog, messages, 1).perSecond());
    }
    delivered += 2L * messages;
  }

  private void withOldRows() {
    old.add(drain(agedRelay, agedBacklog, messages, 1).perSecond());
  }

  private static DrainRelay.Run drain(DrainRelay relay, Backlog backlog, int messages, int days) {
    relay.pause();
    backlog.write(messages, days);
    backlog.rest();
    return relay.drain(messages);
  }

  /** Returns the number of messages that the relay without old messages has delivered. */
  long delivered() {
    return delivered;
  }

  @Override
  public void close() {
    relay.close();
    agedRelay.close();
  }
}

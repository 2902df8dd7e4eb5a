package io.posthorn.benchmarks;

import io.posthorn.core.message.Message;

/**
 * Writes messages by the thousand, inside the server, a hundred to a transaction. Message n has n
 * in the last 48 bits of its id and belongs to key n modulo the number of keys, so that a receiver
 * can tell what is lost, doubled or out of order.
 */
final class Backlog {
  static final String TYPE = "bench.order";
  static final int KEYS = 10_000;
  static final int PAYLOAD = 500;

  private static final String PROCEDURE =
      """
      CREATE OR REPLACE PROCEDURE bench_write(first bigint, last bigint, days int, keys int)
        LANGUAGE plpgsql
      AS $$
      BEGIN
        SET synchronous_commit = off;
        FOR start IN first .. last BY 100 LOOP
          INSERT INTO posthorn_log (slot, id, type, aggregate_type, key, payload)
          SELECT posthorn_slot(clock_timestamp() - make_interval(days => (days * (last - n) / (last - first + 1))::int)),
                 ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
                 '%s',
                 'order',
                 'key-' || n %% keys,
                 convert_to(rpad('{"n":' || n || ',"text":"', %d, 'x') || '"}', 'UTF8')
            FROM generate_series(start, least(start + 99, last)) AS n
           ORDER BY n;
          COMMIT;
        END LOOP;
      END
      $$
      """
          .formatted(TYPE, PAYLOAD - 2);

  private static final String WRITE = "CALL bench_write(%d, %d, %d, %d)";

  private final Database database;
  private final int keys;
  private long written;

  Backlog(Database database) {
    this(database, KEYS);
  }

  Backlog(Database database, int keys) {
    this.database = database;
    this.keys = keys;
    database.execute(PROCEDURE);
  }

  /** The number of a message written here. */
  static int number(Message message) {
    return (int) message.id().getLeastSignificantBits();
  }

  /** Writes so many more. */
  void write(long messages) {
    write(messages, 1);
  }

  /** The same, spread over the leaves of the last so many days, in their order. */
  void write(long messages, int days) {
    database.execute(WRITE.formatted(written + 1, written + messages, days, keys));
    written += messages;
  }

  /**
   * Brings the log to the state in which both sides of a comparison find it: every row has been
   * seen once, so that reading it changes no page, and all is on disk.
   */
  void rest() {
    database.execute("VACUUM (ANALYZE) posthorn_log", "CHECKPOINT");
  }

  /** Removes everything written, delivered or not. */
  void clear() {
    database.execute("TRUNCATE posthorn_log");
  }
}

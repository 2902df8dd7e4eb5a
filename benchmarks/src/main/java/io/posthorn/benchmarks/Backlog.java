package io.posthorn.benchmarks;

import io.posthorn.core.message.Message;

/**
 * Writes messages inside the server, a hundred per transaction. Message n has n in the last 48 bits
 * of its id, and its key is n modulo the number of keys. So a receiver can detect lost, duplicate
 * and reordered messages.
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

  /** Returns the number of a message that this class wrote. */
  static int number(Message message) {
    return (int) message.id().getLeastSignificantBits();
  }

  /** Writes this number of further messages. */
  void write(long messages) {
    write(messages, 1);
  }

  /** Writes messages spread over the leaves of the last days, in order. */
  void write(long messages, int days) {
    database.execute(WRITE.formatted(written + 1, written + messages, days, keys));
    written += messages;
  }

  /**
   * Gives both sides of a comparison the same starting point. Every row has been read once, so that
   * reading it again changes no page, and everything is on disk.
   */
  void rest() {
    database.execute("VACUUM (ANALYZE) posthorn_log", "CHECKPOINT");
  }

  /** Removes all messages, delivered or not. */
  void clear() {
    database.execute("TRUNCATE posthorn_log");
  }
}

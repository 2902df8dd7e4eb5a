package io.posthorn.benchmarks;

import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A database as it is after a bad week: the log is full, two of eight destinations stand still, and
 * many letters died, of some hundred causes. Written inside the server, by SQL.
 */
final class PagesData {
  static final String CAUSE = "0000000000000007";

  /** These have not settled anything. */
  private static final List<String> BEHIND = List.of("mail", "search");

  private static final List<String> DESTINATIONS =
      List.of("billing", "crm", "ledger", "mail", "reports", "search", "shop", "stock");

  private static final int CHUNK = 250_000;

  // The days of the log are in order, as are the numbers; each chunk is a transaction.
  private static final String MESSAGES =
      """
      INSERT INTO posthorn_log (slot, recorded_at, id, type, aggregate_type, key, payload, headers, occurred_at)
      SELECT posthorn_slot(m.at), m.at, bench_id(m.n),
             CASE WHEN m.n %% 1000000 = 500000 THEN 'RareThing' ELSE 'Type' || m.n %% 20 END,
             'Order',
             CASE WHEN m.n %% 50 = 0 THEN 'hot' ELSE 'order-' || m.n * 7919 %% (%3$d / 5 + 1) END,
             convert_to(rpad('{"n":' || m.n || ',"text":"', 200, 'x') || '"}', 'UTF8'),
             CASE WHEN m.n %% 2 = 0 THEN jsonb_build_object('correlation-id', 'corr-' || m.n / 6) ELSE '{}' END,
             m.at
        FROM (SELECT n, clock_timestamp() - interval '7 days' * (1 - n::float8 / %3$d) AS at
                FROM generate_series(%1$d::bigint, %2$d) AS n) m
       ORDER BY m.n
      """;

  private static final String LETTERS =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, state, reason, last_reason, error, stack, fingerprint, attempts,
              first_failed_at, last_failed_at, created_at, requeued_at, requeued_as, outcome, outcome_at)
      SELECT (ARRAY['billing', 'crm', 'ledger', 'mail', 'reports', 'search', 'shop', 'stock'])[1 + n %% 8],
             bench_id(n * (%2$d / %1$d)), 'Type' || n %% 20, 1, 'Order', 'order-' || n %% 50000,
             convert_to(rpad('{"n":' || n || ',"text":"', 200, 'x') || '"}', 'UTF8'), 'application/json',
             jsonb_build_object('correlation-id', 'corr-' || n, 'tenant', 't' || n %% 100),
             x.at, x.at, n, n, x.state,
             CASE WHEN n %% 3 = 0 THEN 'RETRY_EXHAUSTED' ELSE 'HTTP_' || 400 + n %% 30 END,
             'HTTP_' || 400 + n %% 30,
             'the receiver answered ' || 400 + n %% 30 || ' to POST /v1/orders/' || n || ': field "line ' || n %% 300
               || '" is not as the contract says, see https://status.example.org/incidents/' || n %% 300,
             repeat(md5(n::text) || ' at io.shop.Orders.place(Orders.java:42) ', 20),
             lpad(to_hex(n %% 300), 16, '0'), 3, x.at, x.at, x.at,
             CASE WHEN x.state = 'REQUEUED' THEN x.at END,
             CASE WHEN x.state = 'REQUEUED' THEN bench_id(n * (%2$d / %1$d)) END,
             CASE WHEN x.state = 'REQUEUED' THEN 'SENT' END,
             CASE WHEN x.state = 'REQUEUED' THEN x.at END
        FROM (SELECT n, clock_timestamp() - interval '30 days' * (1 - n::float8 / %1$d) AS at,
                     CASE n %% 20 WHEN 0 THEN 'REQUEUED' WHEN 1 THEN 'DISCARDED' ELSE 'DEAD' END AS state
                FROM generate_series(1, %1$d) AS n) x
      """;

  private static final String ATTEMPTS =
      """
      INSERT INTO posthorn_attempt (destination, message_id, attempt, at, outcome, reason, error)
      SELECT d.destination, d.message_id, a, d.created_at, 'FAILED', d.last_reason, d.error
        FROM posthorn_dead d
       CROSS JOIN generate_series(1, 3) a
      """;

  private static final String PARKED =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, waiting, next_attempt_at, attempts, last_reason, last_error)
      SELECT 'mail', gen_random_uuid(), 'Type' || n % 20, 1, 'Order', 'parked-' || n % 10000, '', 'text/plain', '{}',
             now(), now(), n, n, CASE WHEN n < 10000 THEN 'RETRY' ELSE 'TURN' END,
             CASE WHEN n < 10000 THEN now() + interval '1 hour' END, CASE WHEN n < 10000 THEN 2 ELSE 0 END,
             CASE WHEN n < 10000 THEN 'HTTP_503' END, CASE WHEN n < 10000 THEN 'try later' END
        FROM generate_series(0, 299999) AS n
      """;

  // Of a paused type; the first is what all of one key wait behind.
  private static final String PAUSED =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, waiting)
      SELECT 'search', bench_id(n), 'Type7', 1, 'Order', CASE WHEN n % 2 = 0 THEN 'hot' ELSE 'parked-' || n END, '',
             'text/plain', '{}', now(), now(), n, n, CASE WHEN n % 2 = 0 AND n > 0 THEN 'TURN' ELSE 'PAUSED' END
        FROM generate_series(0, 299999) AS n
      """;

  private static final String AUDIT =
      """
      INSERT INTO posthorn_audit (n, at, who, role, action, target, why, hash)
      SELECT n, now(), 'anna', 'operator', 'dead.requeue', 'letter ' || n, 'the receiver is mended', md5(n::text)
        FROM generate_series(1, 100000) AS n
      """;

  private static final String ID =
      """
      CREATE FUNCTION bench_id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
      RETURN ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
      """;

  private static final String SETTLED =
      """
      INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
      SELECT name, 0, gen_random_uuid(), pg_current_snapshot(), (SELECT last_value FROM posthorn_seq), 0
        FROM posthorn_destination
       WHERE name NOT IN ('%s')
      """
          .formatted(String.join("', '", BEHIND));

  private final Database database;

  PagesData(Database database) {
    this.database = database;
  }

  void load(long messages, long letters) {
    List<ServedDestination> all = new ArrayList<>();
    DESTINATIONS.forEach(
        name -> all.add(new ServedDestination(name, Set.of(ServedDestination.ALL_TYPES))));
    PostgresqlStore.on(database.dataSource()).register("bench", all);
    database.execute(ID);
    for (long first = 1; first <= messages; first += CHUNK) {
      long last = Math.min(messages, first + CHUNK - 1);
      database.execute("SET synchronous_commit = off", MESSAGES.formatted(first, last, messages));
    }
    database.execute(
        SETTLED, LETTERS.formatted(letters, messages), ATTEMPTS, PARKED, PAUSED, AUDIT);
    database.execute("VACUUM (ANALYZE)", "CHECKPOINT");
  }
}

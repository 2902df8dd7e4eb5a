package io.posthorn.benchmarks;

import java.util.List;
import java.util.stream.Collectors;

/** Describes where messages are that did not arrive, to help find the reason. */
final class MissingMessages {
  private static final String WHERE =
      """
      SELECT coalesce(string_agg(format('n = %%s: seq %%s, %%s, parked of its key: %%s', n, seq, state, others), '; '),
                      'the log has none of them')
        FROM (SELECT l.n, l.seq,
                     coalesce(format('parked %%s at %%s until %%s', p.waiting, p.position, p.next_attempt_at),
                              'not parked') AS state,
                     coalesce((SELECT string_agg(format('%%s at %%s until %%s', o.waiting, o.position,
                                                        o.next_attempt_at), ', ')
                                 FROM posthorn_parked o
                                WHERE o.aggregate_type = l.aggregate_type
                                  AND o.key = l.key), 'none') AS others
                FROM (SELECT id, seq, aggregate_type, key,
                             substring(convert_from(payload, 'UTF8') FROM '^\\{"n":([0-9]+),')::int AS n
                        FROM posthorn_log) l
                LEFT JOIN posthorn_parked p ON p.message_id = l.id
               WHERE l.n = ANY (ARRAY[%s])) missing
      """;

  private MissingMessages() {}

  /** Returns one sentence about the first missing messages. */
  static String of(Database database, Load load) {
    List<Integer> missing = load.missing();
    String numbers = missing.stream().map(String::valueOf).collect(Collectors.joining(","));
    return missing.isEmpty()
        ? "They have arrived in the meantime"
        : "At %s the database knew: %s"
            .formatted(
                database.text("SELECT clock_timestamp()"), database.text(WHERE.formatted(numbers)));
  }
}

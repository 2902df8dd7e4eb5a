package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Preview;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import java.util.List;
import java.util.Objects;

/** Previews a requeue: counts the letters that receivers would see out of order. */
public final class RequeuePreview {
  private static final int LOOKED = 100;

  // Reads only the first few later messages of each key: if these were delivered, the letter is
  // overtaken.
  private static final Sql COUNT =
      Sql.of(
          "count overtaken letters",
          """
          SELECT count(*)
            FROM posthorn_dead d
           CROSS JOIN LATERAL
                 posthorn_cursor_of(d.destination, posthorn_bucket(d.aggregate_type, d.key, d.message_id)) c
           WHERE d.id = ANY (:ids)
             AND EXISTS (SELECT 1
                           FROM (SELECT l.id, l.seq, l.tx, l.type
                                   FROM posthorn_log l
                                  WHERE l.key = d.key
                                    AND coalesce(l.aggregate_type, '') = d.aggregate_type
                                    AND l.seq > d.position
                                  ORDER BY l.key, l.seq
                                  LIMIT 20) l
                          WHERE posthorn_settled(l.tx, l.seq, c.s1, c.s2, c.last_seq, c.ahead)
                            AND EXISTS (SELECT 1
                                          FROM posthorn_route r
                                         WHERE r.destination = d.destination
                                           AND r.type IN (l.type, '*'))
                            AND NOT EXISTS (SELECT 1
                                              FROM posthorn_parked q
                                             WHERE q.destination = d.destination
                                               AND q.message_id = l.id)
                            AND NOT EXISTS (SELECT 1
                                              FROM posthorn_dead x
                                             WHERE x.destination = d.destination
                                               AND x.message_id = l.id
                                               AND x.state IN ('DEAD', 'DISCARDED')))
          """);

  private RequeuePreview() {}

  public static Preview preview(Database database, DeadLetterQuery query) {
    DeadLetterReader letters = new DeadLetterReader(database);
    List<DeadLetter> first = letters.list(query, null, LOOKED);
    int overtaken =
        database.ask(
            "counting overtaken letters",
            COUNT,
            asked ->
                Objects.requireNonNull(
                    asked
                        .setUuids("ids", first.stream().map(DeadLetter::id).toList())
                        .first(row -> row.getInt(1))));
    return new Preview(letters.count(query), first.size(), overtaken);
  }
}

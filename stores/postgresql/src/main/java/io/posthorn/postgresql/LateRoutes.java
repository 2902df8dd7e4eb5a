package io.posthorn.postgresql;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Settlement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A route was added while a batch was under way, and it covers messages that the batch passed over.
 * They are parked before the progress moves on: a message that a route covers is never passed.
 */
final class LateRoutes {
  private static final Sql PARK =
      Sql.of(
          "park late routed",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket, waiting,
                  next_attempt_at)
          SELECT :destination, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq, l.bucket,
                 CASE WHEN l.not_before > clock_timestamp() THEN 'TIME' ELSE 'RETRY' END,
                 greatest(l.not_before, clock_timestamp())
            FROM posthorn_log l
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND (l.seq > :low OR l.tx = ANY (CAST(CAST(:finished AS text[]) AS xid8[])))
             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND l.seq <> ALL (:delivered)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE r.destination = :destination
                            AND r.type IN (l.type, '*')
                            AND NOT pg_visible_in_snapshot(l.tx, r.since))
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  private LateRoutes() {}

  static void park(Database.Tx tx, Lane lane, Cursor cursor, Settlement settlement)
      throws SQLException {
    Window window = cursor.window();
    if (window == null) {
      throw new IllegalStateException("a batch is settled but no window is open: " + cursor.id());
    }
    List<Long> delivered = new ArrayList<>(cursor.ahead());
    for (Batch batch : settlement.batches()) {
      batch.deliveries().stream().map(Delivery::seq).forEach(delivered::add);
    }
    try (Query query = tx.query(PARK)) {
      query
          .set("destination", lane.destination())
          .set("last", cursor.last())
          .set("upto", settlement.last())
          .set("low", window.low1())
          .setTexts("finished", window.stragglers().stream().map(String::valueOf).toList())
          .set("s1", window.s1().text())
          .set("s2", window.s2().text())
          .setLongs("delivered", delivered)
          .update();
    }
  }
}

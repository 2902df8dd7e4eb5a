package io.posthorn.postgresql.parked;

import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes messages that wait for their turn although no message is before them; otherwise they would
 * wait for ever. No code path should leave such an orphan, and a purge checks that now and then.
 * Delivery does not wait for the check. It searches without a lock, and only if it finds orphans it
 * locks the lanes of their destination, before the messages as everywhere, and checks again.
 */
public final class Orphans {
  private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);
  private static final int CHUNK = 1_000;

  private static final Sql FIND =
      Sql.of(
          "find orphans",
          """
          SELECT p.destination, p.message_id
            FROM posthorn_parked p
           WHERE p.waiting <> 'TIME'
             AND (p.next_attempt_at IS NULL
                  OR (p.waiting = 'TURN' AND p.next_attempt_at > clock_timestamp() + interval '1 minute'))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked o
                              WHERE o.destination = p.destination
                                AND o.aggregate_type = p.aggregate_type
                                AND o.key = p.key
                                AND o.waiting <> 'TIME'
                                AND (o.position, o.seq) < (p.position, p.seq))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_pause s
                              WHERE s.destination IN (p.destination, '*')
                                AND s.type = p.type
                                AND p.waiting = 'PAUSED')
           LIMIT :chunk
          """);

  private static final Sql WAKE =
      Sql.of(
          "wake orphans",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
           WHERE p.destination = :destination
             AND p.message_id = ANY (:ids)
             AND p.waiting <> 'TIME'
             AND (p.next_attempt_at IS NULL
                  OR (p.waiting = 'TURN' AND p.next_attempt_at > clock_timestamp() + interval '1 minute'))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked o
                              WHERE o.destination = p.destination
                                AND o.aggregate_type = p.aggregate_type
                                AND o.key = p.key
                                AND o.waiting <> 'TIME'
                                AND (o.position, o.seq) < (p.position, p.seq))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_pause s
                              WHERE s.destination IN (p.destination, '*')
                                AND s.type = p.type
                                AND p.waiting = 'PAUSED')
          """);

  private record Orphan(String destination, UUID id) {}

  private final Database database;

  public Orphans(Database database) {
    this.database = database;
  }

  /** Wakes orphans. What fails is left to the next purge, because it must not stop this one. */
  public void wake() {
    tryTo(() -> Edges.makeSure(database));
    tryTo(
        () -> {
          Map<String, List<UUID>> found = new TreeMap<>();
          for (Orphan orphan : find()) {
            found.computeIfAbsent(orphan.destination, name -> new ArrayList<>()).add(orphan.id);
          }
          found.forEach((destination, ids) -> tryTo(() -> wake(destination, ids)));
        });
  }

  private static void tryTo(Runnable work) {
    try {
      work.run();
    } catch (PosthornException e) {
      LOG.warn(
          "Parked messages were not checked for orphans; the next purge tries again: {}",
          e.getMessage());
    }
  }

  private List<Orphan> find() {
    return database.transaction(
        "looking for messages that wait behind no other",
        tx -> {
          try (Query query = tx.query(FIND)) {
            return query
                .set("chunk", CHUNK)
                .rows(
                    row ->
                        new Orphan(
                            row.getString("destination"), row.getObject("message_id", UUID.class)));
          }
        });
  }

  private void wake(String destination, List<UUID> ids) {
    database.transaction(
        "waking messages of '" + destination + "' that wait behind no other",
        tx -> {
          Lanes.lock(tx, destination);
          try (Query query = tx.query(WAKE)) {
            return query.set("destination", destination).setUuids("ids", ids).update();
          }
        });
  }
}

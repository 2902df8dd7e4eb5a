package io.posthorn.postgresql.operate.story;

import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds the ids that begin alike, by indexes that exist for other purposes. */
public final class IdFinder {
  /** The next id of a message, in every place where messages are. Public for the test of plans. */
  public static final Sql NEXT_MESSAGE =
      Sql.of(
          "find next id of a message",
          """
          SELECT n.id
            FROM ((SELECT id
                     FROM posthorn_log
                    WHERE id >= :from
                      AND id <= :last
                    ORDER BY id
                    LIMIT 1)
                  UNION ALL
                  SELECT p.message_id
                    FROM posthorn_destination d
                   CROSS JOIN LATERAL
                         (SELECT x.message_id
                            FROM posthorn_parked x
                           WHERE x.destination = d.name
                             AND x.message_id >= :from
                             AND x.message_id <= :last
                           ORDER BY x.message_id
                           LIMIT 1) p
                  UNION ALL
                  (SELECT message_id
                     FROM posthorn_dead
                    WHERE message_id >= :from
                      AND message_id <= :last
                    ORDER BY message_id
                    LIMIT 1)
                  UNION ALL
                  (SELECT requeued_as
                     FROM posthorn_dead
                    WHERE requeued_as >= :from
                      AND requeued_as <= :last
                      AND requeued_as <> message_id
                    ORDER BY requeued_as
                    LIMIT 1)) n (id)
           ORDER BY n.id
           LIMIT 1
          """);

  /** The next id of a dead letter. */
  public static final Sql NEXT_LETTER =
      Sql.of(
          "find next id of a letter",
          """
          SELECT id
            FROM posthorn_dead
           WHERE id >= :from
             AND id <= :last
           ORDER BY id
           LIMIT 1
          """);

  /** The next id of an operation. */
  public static final Sql NEXT_OPERATION =
      Sql.of(
          "find next id of an operation",
          """
          SELECT id
            FROM posthorn_operation
           WHERE id >= :from
             AND id <= :last
           ORDER BY id
           LIMIT 1
          """);

  private final Database database;

  public IdFinder(Database database) {
    this.database = database;
  }

  /**
   * One id is one look-up. A single statement for all of them would read every message that has the
   * same id, or stand in several places.
   */
  public List<UUID> find(IdKind kind, IdPrefix prefix, int most) {
    return database.asks(
        "looking for the id " + prefix,
        tx -> {
          List<UUID> found = new ArrayList<>();
          UUID from = prefix.first();
          while (from != null && found.size() < most) {
            UUID next = next(tx, kind, from, prefix.last());
            if (next != null) {
              found.add(next);
            }
            from = next == null || next.equals(prefix.last()) ? null : after(next);
          }
          return found;
        });
  }

  private static @Nullable UUID next(Database.Tx tx, IdKind kind, UUID from, UUID last)
      throws SQLException {
    Sql sql =
        switch (kind) {
          case MESSAGE -> NEXT_MESSAGE;
          case LETTER -> NEXT_LETTER;
          case OPERATION -> NEXT_OPERATION;
        };
    try (Query query = tx.query(sql)) {
      return query.set("from", from).set("last", last).first(row -> row.getObject(1, UUID.class));
    }
  }

  private static UUID after(UUID id) {
    long low = id.getLeastSignificantBits() + 1;
    return new UUID(id.getMostSignificantBits() + (low == 0 ? 1 : 0), low);
  }
}

package io.posthorn.postgresql.operate.restore;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Finds ids that no message of this database has. */
public final class UnknownIds {
  // One look-up by an index for each id and table. As EXISTS they could become joins, which read
  // whole tables.
  private static final Sql FIND =
      Sql.of(
          "find unknown ids",
          """
          SELECT i.id
            FROM unnest(:ids) AS i (id)
           WHERE (SELECT true FROM posthorn_log l WHERE l.id = i.id LIMIT 1) IS NULL
             AND (SELECT true FROM posthorn_dead x WHERE x.message_id = i.id LIMIT 1) IS NULL
             AND (SELECT true
                    FROM posthorn_dead x
                   WHERE x.requeued_as = i.id
                     AND x.requeued_as <> x.message_id
                   LIMIT 1) IS NULL
             AND (SELECT true
                    FROM posthorn_destination d
                   CROSS JOIN LATERAL
                         (SELECT 1
                            FROM posthorn_parked p
                           WHERE p.destination = d.name
                             AND p.message_id = i.id
                           LIMIT 1) p
                   LIMIT 1) IS NULL
             AND (SELECT true FROM posthorn_archive a WHERE a.id = i.id LIMIT 1) IS NULL
          """);

  private final Database database;

  public UnknownIds(Database database) {
    this.database = database;
  }

  public Set<UUID> among(Collection<UUID> ids) {
    return database.ask(
        "comparing sent messages with the database",
        FIND,
        query ->
            new HashSet<>(query.setUuids("ids", ids).rows(row -> row.getObject(1, UUID.class))));
  }
}

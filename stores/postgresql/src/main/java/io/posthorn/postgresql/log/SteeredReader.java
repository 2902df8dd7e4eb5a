package io.posthorn.postgresql.log;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.SteeringState;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Reads how people have steered destinations, and remembers it until it changes. */
public final class SteeredReader {
  /** Stands for all destinations, or all types. */
  public static final String ALL = "*";

  // One statement, so that the id belongs to the values read with it.
  private static final Sql READ =
      Sql.of(
          "read steering",
          """
          SELECT d.steering_id, d.rate_per_second,
                 ARRAY (SELECT p.type
                          FROM posthorn_pause p
                         WHERE p.destination IN (d.name, '*')) AS types,
                 ARRAY (SELECT ARRAY[h.aggregate_type, h.key]
                          FROM posthorn_held h
                         WHERE h.destination = d.name
                           AND h.paused) AS keys
            FROM posthorn_destination d
           WHERE d.name = :destination
          """);

  private final Database database;
  private final Map<String, SteeringState> known = new ConcurrentHashMap<>();

  SteeredReader(Database database) {
    this.database = database;
  }

  SteeringState read(Lane lane) {
    return database.read("reading the steering of lane " + lane, READ, query -> read(lane, query));
  }

  /** Returns the steering as of this row. The caller holds a lock on the lane. */
  SteeringState read(Database.Tx tx, Lane lane, LaneRow row) throws SQLException {
    SteeringState before = known.get(lane.destination());
    if (before != null && before.id().equals(row.steeringId())) {
      return before;
    }
    try (Query query = tx.query(READ)) {
      return read(lane, query);
    }
  }

  private SteeringState read(Lane lane, Query query) throws SQLException {
    SteeringState steered =
        query.set("destination", lane.destination()).first(SteeredReader::steered);
    if (steered == null) {
      throw new LaneLostException(lane, "its destination was removed");
    }
    known.put(lane.destination(), steered);
    return steered;
  }

  private static SteeringState steered(ResultSet row) throws SQLException {
    double rate = row.getDouble("rate_per_second");
    boolean noRate = row.wasNull();
    Set<String> types = Set.copyOf(Arrays.asList((String[]) row.getArray("types").getArray()));
    Set<Key> keys = new HashSet<>();
    for (Object key : (Object[]) row.getArray("keys").getArray()) {
      String[] parts = (String[]) key;
      keys.add(new Key(parts[0], parts[1]));
    }
    return new SteeringState(
        row.getObject("steering_id", UUID.class),
        types.contains(ALL),
        types,
        Set.copyOf(keys),
        noRate ? null : rate);
  }
}

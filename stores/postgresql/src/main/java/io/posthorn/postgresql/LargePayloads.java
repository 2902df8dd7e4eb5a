package io.posthorn.postgresql;

import io.posthorn.core.store.Delivery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fetches the payloads that did not come with their rows, now that it is known that they fit. */
final class LargePayloads {
  private static final Sql FETCH =
      Sql.of(
          "fetch large payloads",
          """
          SELECT seq, payload
            FROM posthorn_log
           WHERE seq = ANY (:seqs)
          """);

  private LargePayloads() {}

  static List<Delivery> fetch(Database.Tx tx, List<Delivery> all, List<Delivery> large)
      throws SQLException {
    Map<Long, byte[]> payloads = new HashMap<>();
    try (Query query = tx.query(FETCH)) {
      query
          .setLongs("seqs", large.stream().map(Delivery::seq).toList())
          .rows(row -> Map.entry(row.getLong(1), row.getBytes(2)))
          .forEach(row -> payloads.put(row.getKey(), row.getValue()));
    }
    List<Delivery> complete = new ArrayList<>(all.size());
    for (Delivery delivery : all) {
      byte[] payload = payloads.get(delivery.seq());
      complete.add(payload == null ? delivery : delivery.withPayload(payload));
    }
    return complete;
  }
}

package io.posthorn.postgresql.message;

import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fetches payloads and headers that were left out of their rows, once it is known that they fit.
 */
public final class LargeMessages {
  private static final Sql FETCH =
      Sql.of(
          "fetch large messages",
          """
          SELECT seq, payload, headers
            FROM posthorn_log
           WHERE seq = ANY (:seqs)
          """);

  private LargeMessages() {}

  public static List<Delivery> fetch(Database.Tx tx, List<Delivery> all, List<Delivery> large)
      throws SQLException {
    Map<Long, byte[]> payloads = new HashMap<>();
    Map<Long, Map<String, String>> headers = new HashMap<>();
    try (Query query = tx.query(FETCH)) {
      query
          .setLongs("seqs", large.stream().map(Delivery::seq).toList())
          .each(
              row -> {
                payloads.put(row.getLong(1), row.getBytes(2));
                headers.put(row.getLong(1), MessageRow.headers(row.getString(3)));
              });
    }
    List<Delivery> complete = new ArrayList<>(all.size());
    for (Delivery delivery : all) {
      byte[] payload = payloads.get(delivery.seq());
      complete.add(
          payload == null
              ? delivery
              : delivery.withContent(payload, headers.getOrDefault(delivery.seq(), Map.of())));
    }
    return complete;
  }
}

package io.posthorn.crashtests;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/** What the tables say. */
final class Query {
  private static final String WANTED =
      """
      SELECT l.id::text
        FROM posthorn_log l
       WHERE l.type <> 'Unwanted'
      """;

  private static final String HELD =
      """
      SELECT p.message_id::text
        FROM posthorn_parked p
        JOIN posthorn_held h ON h.destination = p.destination AND h.key = p.key
       WHERE p.destination = ?
      """;

  private static final String HOLDER =
      """
      SELECT r.name
        FROM posthorn_lane l
        JOIN posthorn_relay r ON r.id = l.relay
       WHERE l.destination = ?
         AND r.expires_at > clock_timestamp()
      """;

  private static final String HOLDERS =
      """
      SELECT DISTINCT r.name
        FROM posthorn_lane l
        JOIN posthorn_relay r ON r.id = l.relay
       WHERE r.expires_at > clock_timestamp()
      """;

  private static final String LANES =
      """
      SELECT l.destination || ' held by ' || coalesce(r.name, '-') || ' until ' || coalesce(r.expires_at::text, '-')
             || ' now ' || clock_timestamp()
        FROM posthorn_lane l
        LEFT JOIN posthorn_relay r ON r.id = l.relay
      """;

  private static final String WHERE =
      """
      SELECT l.id || ' ' || l.type || ' ' || coalesce(l.key, '-') || ' seq ' || l.seq || ' tx ' || l.tx
             || coalesce(' parked ' || p.waiting || ' ' || coalesce(p.next_attempt_at::text, 'never'), '')
             || coalesce(' dead ' || d.reason, '')
        FROM posthorn_log l
        LEFT JOIN posthorn_parked p ON p.message_id = l.id AND p.destination = ?
        LEFT JOIN posthorn_dead d ON d.message_id = l.id AND d.destination = ?
       WHERE l.id = ANY (CAST(? AS uuid[]))
       ORDER BY l.seq
      """;

  private static final String UNPARKED =
      """
      SELECT count(*)
        FROM posthorn_log l
       WHERE l.type = 'Unwanted'
         AND NOT EXISTS (SELECT 1
                           FROM posthorn_parked p
                          WHERE p.destination = 'unrouted'
                            AND p.message_id = l.id)
         AND NOT EXISTS (SELECT 1
                           FROM posthorn_dead d
                          WHERE d.destination = 'unrouted'
                            AND d.message_id = l.id)
      """;

  private final DataSource dataSource;

  Query(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Ids of all messages that must arrive, or be held. */
  List<String> wanted() {
    return texts(WANTED);
  }

  /** Ids of messages that wait for a person, behind a dead one. */
  List<String> held(String destination) {
    return texts(HELD, destination);
  }

  /** The name of the live relay that holds the lane, or an empty text. */
  String holder(String destination) {
    return texts(HOLDER, destination).stream().findFirst().orElse("");
  }

  /** The names of the live relays that hold lanes. */
  List<String> holders() {
    return texts(HOLDERS);
  }

  /** How many messages that nobody wants have not been noticed yet. */
  long unparked() {
    return number(UNPARKED);
  }

  List<String> lanes() {
    return texts(LANES);
  }

  /** Where messages are that have not arrived. */
  List<String> where(String destination, Collection<String> ids) {
    return texts(WHERE, destination, destination, "{" + String.join(",", ids) + "}");
  }

  long number(String sql, Object... parameters) {
    return Long.parseLong(texts(sql, parameters).get(0));
  }

  /** The first column of all rows, as text. */
  List<String> texts(String sql, Object... parameters) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      List<String> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException("could not ask: " + sql, e);
    }
  }

  int execute(String sql) {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("could not do: " + sql, e);
    }
  }
}

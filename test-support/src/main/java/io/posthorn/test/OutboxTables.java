package io.posthorn.test;

import io.posthorn.postgresql.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Operations on the tables that only a test may do: emptying them, and ageing their rows. */
final class OutboxTables {
  private static final Pattern NAME = Pattern.compile("\\bposthorn_(?=[a-z])");

  // The audit log cannot be emptied, by design; rows that the migration wrote stay.
  private static final String TABLES =
      """
      SELECT t.name
        FROM pg_class c
       CROSS JOIN (SELECT CAST(? AS text) AS prefix) place
       CROSS JOIN LATERAL (SELECT substr(c.relname, length(place.prefix) + 1) AS name) t
       WHERE c.relnamespace = to_regnamespace(?)
         AND c.relkind IN ('r', 'p')
         AND NOT c.relispartition
         AND starts_with(c.relname, place.prefix)
         AND t.name <> ALL ('{migration,meta,audit,route,lane,relay,destination}')
      """;

  // These tables reference each other, so they come last and in this order.
  private static final List<String> LAST = List.of("route", "lane", "relay", "destination");

  /** The rows that the migration inserts. */
  private static final String SEEDS =
      """
      INSERT INTO posthorn_destination (name)
      VALUES ('unrouted');
      INSERT INTO posthorn_lane (destination, lane)
      VALUES ('unrouted', 0);
      INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
      VALUES ('unrouted', 0, gen_random_uuid(), pg_current_snapshot(), 0, 0);
      """;

  // The slot stays, so that nothing is removed as too old, however much time a test lets pass.
  private static final String AGE =
      """
      UPDATE posthorn_log
         SET recorded_at = recorded_at - :time, not_before = not_before - :time;
      UPDATE posthorn_parked
         SET parked_at = parked_at - :time, next_attempt_at = next_attempt_at - :time,
             not_before = not_before - :time, recorded_at = recorded_at - :time,
             first_failed_at = first_failed_at - :time, last_failed_at = last_failed_at - :time,
             suspected_at = suspected_at - :time;
      UPDATE posthorn_edge
         SET at = at - :time, due = due - :time, oldest = oldest - :time, safe_at = safe_at - :time,
             low_at = low_at - :time;
      UPDATE posthorn_key_edge
         SET at = at - :time;
      UPDATE posthorn_progress
         SET at = at - :time;
      UPDATE posthorn_attempt
         SET at = at - :time;
      UPDATE posthorn_dead
         SET created_at = created_at - :time, recorded_at = recorded_at - :time,
             first_failed_at = first_failed_at - :time, last_failed_at = last_failed_at - :time;
      """;

  // The work that a relay of these destinations would still do without any new event.
  private static final String DUE =
      """
      SELECT s.destination || ': ' || s.type || ' ' || s.id || ' is ' || s.state
        FROM posthorn_message_state s
       WHERE s.destination = ANY (?)
         AND s.state IN ('PENDING', 'IN_FLIGHT', 'FAILED')
         AND (s.waiting IS NULL OR s.waiting IN ('ANSWER', 'BEHIND') OR s.next_attempt_at <= clock_timestamp())
         AND NOT EXISTS (SELECT 1
                           FROM posthorn_pause p
                          WHERE p.destination IN (s.destination, '*')
                            AND p.type = '*')
      UNION ALL
      SELECT d.name || ': waits for what had no route'
        FROM posthorn_destination d
       WHERE d.name = ANY (?)
         AND d.waits_for_unrouted
      """;

  private static final String OTHER_RELAYS =
      """
      SELECT r.name || ' of ' || r.application
        FROM posthorn_relay r
       WHERE r.expires_at > clock_timestamp()
         AND r.application <> ?
      """;

  private static final String ENVIRONMENT =
      """
      SELECT environment
        FROM posthorn_meta
       WHERE environment IS NOT NULL
      """;

  private final DataSource dataSource;
  private final Tables tables;

  OutboxTables(DataSource dataSource, Tables tables) {
    this.dataSource = dataSource;
    this.tables = tables;
  }

  void empty() {
    List<String> names = strings(TABLES, tables.prefix(), tables.schema());
    names.addAll(LAST);
    String deletes =
        names.stream()
            .map(name -> "DELETE FROM posthorn_%s;\n".formatted(name))
            .collect(Collectors.joining());
    execute(deletes + SEEDS);
  }

  void age(Duration time) {
    execute(AGE.replace(":time", "interval '" + time.toMillis() + " milliseconds'"));
  }

  List<String> due(Collection<String> destinations) {
    String[] names = destinations.toArray(new String[0]);
    return strings(DUE, names, names);
  }

  List<String> relaysOfOtherApplications(String application) {
    return strings(OTHER_RELAYS, application);
  }

  /** Returns the database's environment; empty if no relay has set it yet. */
  List<String> environment() {
    return strings(ENVIRONMENT);
  }

  boolean exist() {
    return !strings("SELECT 'yes' WHERE to_regclass(?) IS NOT NULL", in("posthorn_log")).isEmpty();
  }

  private void execute(String sql) {
    try (Connection connection = dataSource.getConnection()) {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(in(sql));
        connection.commit();
      } finally {
        connection.rollback();
        connection.setAutoCommit(before);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private List<String> strings(String sql, Object... parameters) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(in(sql))) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(
            i + 1,
            parameters[i] instanceof String[] names
                ? connection.createArrayOf("text", names)
                : parameters[i]);
      }
      List<String> strings = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          strings.add(rows.getString(1));
        }
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return strings;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private String in(String sql) {
    return NAME.matcher(sql).replaceAll(tables.schema() + "." + tables.prefix());
  }

  private static IllegalStateException failed(SQLException e) {
    return new IllegalStateException("the test's database refused: " + e.getMessage(), e);
  }
}

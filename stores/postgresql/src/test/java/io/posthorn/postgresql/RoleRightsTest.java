package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each role has only its printed grants, and is tried with every kind of statement. */
class RoleRightsTest {
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private static final String PARKED =
      "INSERT INTO posthorn_parked (destination, message_id, type, schema_version, "
          + "payload, content_type, headers, occurred_at, recorded_at, seq, position, "
          + "waiting, next_attempt_at) VALUES ('mail', gen_random_uuid(), 'Forged', 1, '', "
          + "'', '{}', now(), now(), 1, 1, 'TURN', now())";
  private static final String DEAD =
      "INSERT INTO posthorn_dead (destination, message_id, type, schema_version, "
          + "payload, content_type, headers, occurred_at, recorded_at, seq, position, reason, "
          + "last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at) "
          + "VALUES ('mail', gen_random_uuid(), 'Forged', 1, '', '', '{}', now(), now(), 1, "
          + "1, '', '', '', '', 1, now(), now())";
  private static final String PARK =
      "SELECT posthorn_park('%s', ARRAY['PARKED'], NULL, 0, 0, NULL, NULL, NULL, "
          + "ARRAY['orders'], ARRAY[gen_random_uuid()], ARRAY['T'], ARRAY[1], ARRAY[NULL], "
          + "ARRAY[NULL], ARRAY['\\x41'::bytea], ARRAY['text/plain'], ARRAY['{}'], "
          + "ARRAY[now()::text], ARRAY[NULL], ARRAY[0])";
  private static final String BURY =
      "SELECT posthorn_bury('%s', 'CODE', 'error', NULL, 'fingerprint', 1, false, "
          + "ARRAY['orders'], ARRAY[gen_random_uuid()], ARRAY['T'], ARRAY[1], ARRAY[NULL], "
          + "ARRAY[NULL], ARRAY['\\x41'::bytea], ARRAY['text/plain'], ARRAY['{}'], "
          + "ARRAY[now()::text], ARRAY[NULL], ARRAY[0])";

  /** Arguments that would create a row that a relay cannot read, or only with all of its memory. */
  private static final List<List<String>> UNREADABLE =
      List.of(
          List.of(
              "headers",
              "(SELECT '{' || string_agg('\"' || n || '\": 1e131000', ',') || '}' FROM generate_series(1, 1500) n)"),
          List.of("headers", "'{\"a\": 1e131000}'"),
          List.of("headers", "'{\"a\": null}'"),
          List.of("headers", "'{\"a\": {\"b\": \"c\"}}'"),
          List.of("headers", "'[\"a\"]'"),
          List.of("headers", "'\"a\"'"),
          List.of("headers", "'null'"),
          List.of("headers", "'1e131000'"),
          List.of("not_befores", "'infinity'"),
          List.of("not_befores", "'-infinity'"),
          List.of("not_befores", "'10000-01-01 00:00:00+00'"),
          List.of("occurred_ats", "'infinity'"),
          List.of("occurred_ats", "'4713-01-01 BC'"),
          List.of("occurred_ats", "'294276-12-31'"),
          List.of("delay", "9.222e12"),
          List.of("delay", "-1e11"),
          List.of("delay", "'infinity'"));

  /** Brokers may carry more than writers may write. */
  private static final List<List<String>> READABLE =
      List.of(
          List.of(
              "headers",
              "(SELECT jsonb_object_agg(n, repeat('x', 1000))::text FROM generate_series(1, 100) n)"),
          List.of("headers", "'{\"a\": \"1e131000\"}'"),
          List.of("not_befores", "'9999-12-31 23:59:59+00'"),
          List.of("occurred_ats", "'0001-01-01 00:00:00+00'"),
          List.of("delay", "1e9"));

  /**
   * The letters of the roles that are allowed: Writer, Receiver, relaY, Operator. Nobody has no
   * grants.
   */
  private static final Map<String, String> ALLOWED = new LinkedHashMap<>();

  static {
    // ---- content
    ALLOWED.put("SELECT payload FROM posthorn_log", "YO");
    ALLOWED.put("SELECT payload FROM posthorn_parked", "YO");
    ALLOWED.put("SELECT payload FROM posthorn_dead", "YO");
    ALLOWED.put("SELECT headers FROM posthorn_dead", "YO");
    ALLOWED.put("SELECT key FROM posthorn_dead", "YO");
    ALLOWED.put("SELECT payload FROM posthorn_archive", "YO");
    ALLOWED.put("SELECT 1 FROM posthorn_receipt", "YO");
    ALLOWED.put("SELECT 1 FROM posthorn_message_state", "YO");
    ALLOWED.put("SELECT 1 FROM posthorn_backlog", "YO");
    ALLOWED.put("SELECT 1 FROM posthorn_destination_status", "O");
    ALLOWED.put("SELECT 1 FROM posthorn_dead_letter", "O");
    // ---- what would be sent
    ALLOWED.put(
        "INSERT INTO posthorn_log (id, type, payload) VALUES (gen_random_uuid(), 'T', '')", "WR");
    ALLOWED.put("SELECT posthorn_add('T', '')", "WR");
    ALLOWED.put(
        "INSERT INTO posthorn_log (id, type, payload, seq) VALUES (gen_random_uuid(), 'T', '', 1)",
        "");
    ALLOWED.put("UPDATE posthorn_log SET payload = ''", "");
    ALLOWED.put("DELETE FROM posthorn_log", "");
    ALLOWED.put("TRUNCATE posthorn_log_00", "Y");
    ALLOWED.put(PARKED, "YO");
    ALLOWED.put("UPDATE posthorn_parked SET next_attempt_at = now()", "YO");
    ALLOWED.put("DELETE FROM posthorn_parked", "YO");
    ALLOWED.put(DEAD, "YO");
    ALLOWED.put("UPDATE posthorn_dead SET state = 'DISCARDED'", "YO");
    ALLOWED.put(
        "INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id) VALUES "
            + "('mail', 't', 'k', gen_random_uuid())",
        "YO");
    ALLOWED.put("DELETE FROM posthorn_held", "YO");
    ALLOWED.put(
        "INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome) "
            + "VALUES ('mail', gen_random_uuid(), 1, 'SENT')",
        "YO");
    // ---- receiving
    ALLOWED.put(
        "SELECT posthorn_receive('stock', 'RECEIVE', false, true, false, "
            + "ARRAY['orders'], ARRAY[gen_random_uuid()], ARRAY[NULL::int], "
            + "ARRAY['\\x41'::bytea], ARRAY['T'], ARRAY[NULL], ARRAY[NULL], ARRAY[0])",
        "R");
    ALLOWED.put(PARK.formatted("stock"), "R");
    ALLOWED.put(BURY.formatted("stock"), "R");
    for (String notConsumer : List.of("mail", "unrouted")) {
      ALLOWED.put(PARK.formatted(notConsumer), "");
      ALLOWED.put(BURY.formatted(notConsumer), "");
    }
    ALLOWED.put("UPDATE posthorn_receipt SET state = 'AGAIN'", "O");
    ALLOWED.put("UPDATE posthorn_receipt SET digest = ''", "");
    ALLOWED.put("DELETE FROM posthorn_receipt", "Y");
    ALLOWED.put("TRUNCATE posthorn_receipt_00", "Y");
    ALLOWED.put("UPDATE posthorn_handled SET sequence = 0", "");
    ALLOWED.put("DELETE FROM posthorn_handled", "Y");
    ALLOWED.put("INSERT INTO posthorn_handling DEFAULT VALUES", "");
    // ---- the audit
    ALLOWED.put(
        "INSERT INTO posthorn_audit (n, at, who, action, target, why, hash) VALUES "
            + "(9223372036854775807, now(), 'anna', 'dead.requeue', 't', 'w', 'h')",
        "");
    ALLOWED.put("UPDATE posthorn_audit SET who = 'anna'", "");
    ALLOWED.put("DELETE FROM posthorn_audit", "");
    ALLOWED.put("TRUNCATE posthorn_audit", "");
    ALLOWED.put("SELECT who FROM posthorn_audit", "O");
    ALLOWED.put(
        "SELECT posthorn_note('anna', 'test', 'why', ARRAY['target'], ARRAY[NULL], ARRAY[NULL])",
        "YO");
    // ---- steering
    ALLOWED.put(
        "INSERT INTO posthorn_pause (destination, type, who, why) VALUES ('mail', '*', 'w', 'y')",
        "YO");
    ALLOWED.put("DELETE FROM posthorn_pause", "O");
    ALLOWED.put("INSERT INTO posthorn_destination (name) VALUES ('other')", "Y");
    ALLOWED.put("DELETE FROM posthorn_route", "O");
    ALLOWED.put("UPDATE posthorn_progress SET last_seq = 0", "");
    ALLOWED.put("DELETE FROM posthorn_progress", "");
    ALLOWED.put("UPDATE posthorn_meta SET environment = 'x'", "Y");
    ALLOWED.put("DELETE FROM posthorn_relay", "Y");
    ALLOWED.put("DELETE FROM posthorn_given_id", "Y");
    ALLOWED.put("INSERT INTO posthorn_migration (version, name) VALUES (9, 'x')", "");
    ALLOWED.put("CREATE TABLE posthorn_other (n int)", "");
  }

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final Map<String, String> roles = new LinkedHashMap<>();

  /** Creates a destination with a dead letter, a consumer, and roles named like the tables. */
  @BeforeEach
  void fill() {
    TestLanes lanes = new TestLanes(database);
    TestLane mail = lanes.take("mail");
    lanes.add(keyed("k", "secret"));
    Batch batch = mail.batch();
    Move death =
        new Move.Die(
            batch.deliveries().get(0),
            1,
            "CODE",
            Reason.of(Reason.UNKNOWN, "a test"),
            AfterDead.CONTINUE);
    mail.settle(batch, death);
    database
        .store()
        .register(
            "tests", List.of(new ServedDestination("stock", Set.of(), Start.NOW, Direction.IN)));
    Grants grants = new Grants(database.tables());
    role("W", "writer", grants::writer);
    role("R", "receiver", grants::receiver);
    role("Y", "relay", grants::relay);
    role("O", "operator", grants::operator);
    role("N", "nobody", "GRANT USAGE ON SCHEMA public TO %s"::formatted);
  }

  private void role(String letter, String role, UnaryOperator<String> grants) {
    String name = "posthorn_" + role + "_" + database.name();
    Jdbc.execute(database.dataSource(), "DROP ROLE IF EXISTS " + name);
    Jdbc.execute(database.dataSource(), "CREATE ROLE " + name + " LOGIN");
    roles.put(letter, name);
    Jdbc.execute(database.dataSource(), grants.apply(name));
  }

  @AfterEach
  void close() {
    for (String role : roles.values()) {
      Jdbc.execute(database.dataSource(), "DROP OWNED BY " + role);
      Jdbc.execute(database.dataSource(), "DROP ROLE " + role);
    }
    database.close();
  }

  @Test
  void each_role_may_do_what_it_is_for_and_nothing_else() throws SQLException {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, String> role : roles.entrySet()) {
      try (Connection connection = database.as(role.getValue()).getConnection()) {
        connection.setAutoCommit(false);
        for (Map.Entry<String, String> entry : ALLOWED.entrySet()) {
          boolean expected = entry.getValue().contains(role.getKey());
          String refused = refused(connection, database.names().in(entry.getKey()));
          if (expected == (refused != null)) {
            wrong.add(
                "%s: %s: %s"
                    .formatted(
                        role.getValue(), entry.getKey(), refused == null ? "done" : refused));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void a_receiver_can_plant_nothing_that_a_relay_cannot_read() throws SQLException {
    assertThat(planted(UNREADABLE)).isEmpty();
    assertThat(planted(READABLE)).hasSize(2 * READABLE.size() - 1);
  }

  /** Returns which arguments the database accepts when a receiver parks a message or buries it. */
  private List<String> planted(List<List<String>> arguments) throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection connection =
        database.as(Objects.requireNonNull(roles.get("R"))).getConnection()) {
      connection.setAutoCommit(false);
      for (List<String> argument : arguments) {
        for (String function : List.of("posthorn_park", "posthorn_bury")) {
          if (function.equals("posthorn_park") || !argument.get(0).equals("delay")) {
            String sql = call(function, argument.get(0), argument.get(1));
            try (Statement statement = connection.createStatement()) {
              statement.execute(database.names().in(sql));
              taken.add(sql);
            } catch (SQLException e) {
              assertThat(e.getSQLState()).as(sql).isIn("22008", "23514");
            }
            connection.rollback();
          }
        }
      }
    }
    return taken;
  }

  private static String call(String function, String argument, String value) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("receiver", "'stock'");
    all.put("because", "'CODE'");
    all.put("said", "'error'");
    all.put("trace", "NULL");
    all.put("tries", "1");
    if (function.equals("posthorn_park")) {
      all.put("verdicts", "ARRAY['PARKED']");
      all.put("wait", "'RETRY'");
      all.put("delay", "1");
    } else {
      all.put("cause", "'fingerprint'");
      all.put("hold", "false");
    }
    all.put("senders", "ARRAY['orders']");
    all.put("ids", "ARRAY[gen_random_uuid()]");
    all.put("types", "ARRAY['T']");
    all.put("schema_versions", "ARRAY[1]");
    all.put("aggregate_types", "ARRAY['a']");
    all.put("keys", "ARRAY['k']");
    all.put("payloads", "ARRAY['A'::bytea]");
    all.put("content_types", "ARRAY['text/plain']");
    all.put("headers", "ARRAY['{}']");
    all.put("occurred_ats", "ARRAY[now()::text]");
    all.put("not_befores", "ARRAY[NULL]");
    all.put("sequences", "ARRAY[0]");
    all.put(argument, argument.equals("delay") ? value : "ARRAY[" + value + "]");
    return all.entrySet().stream()
        .map(entry -> entry.getKey() + " => " + entry.getValue())
        .collect(Collectors.joining(", ", "SELECT " + function + "(", ")"));
  }

  /** Runs the statement and rolls it back. Returns the error, or null if it succeeded. */
  private static String refused(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return null;
    } catch (SQLException e) {
      return INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())
          ? "refused"
          : "failed otherwise, " + e.getMessage();
    } finally {
      connection.rollback();
    }
  }

  @Test
  void functions_with_the_owners_rights_are_for_those_who_were_granted_them_only() {
    assertThat(
            database.query(
                """
                SELECT p.proname || ' ' || array_to_string(p.proconfig, ' ')
                  FROM pg_proc p
                 WHERE p.pronamespace = 'public'::regnamespace
                   AND p.prosecdef
                """,
                row -> row.getString(1)))
        .hasSize(6)
        .allMatch(function -> function.contains("search_path=pg_catalog, pg_temp"));
    assertThat(
            database.query(
                """
                SELECT p.proname
                  FROM pg_proc p
                 CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                 WHERE p.pronamespace = 'public'::regnamespace
                   AND p.prosecdef
                   AND a.grantee = 0
                """,
                row -> row.getString(1)))
        .isEmpty();
  }
}

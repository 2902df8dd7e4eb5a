package io.posthorn.postgresql.operate.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The documented psql queries read very little of a large log. */
class FindingPlansTest {
  private static final Pattern READ = Pattern.compile("Scan .*actual rows=([0-9.]+) loops=(\\d+)");
  private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();

  /** One key has a tenth of all messages. */
  @BeforeAll
  static void fill() {
    PostgresqlStore.on(DATABASE.dataSource())
        .register(
            "shop", List.of(new ServedDestination("mail", Set.of(ServedDestination.ALL_TYPES))));
    DATABASE.execute(
        """
        INSERT INTO posthorn_log (id, type, aggregate_type, key, payload, headers)
        SELECT md5(n::text)::uuid, 'T', 'A', CASE WHEN n % 10 = 0 THEN 'hot' ELSE 'k' || n % 20000 END, '',
               jsonb_build_object('correlation-id', 'c' || n)
          FROM generate_series(1, 100000) n
        """);
    DATABASE.execute(
        """
        INSERT INTO posthorn_dead
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts,
                first_failed_at, last_failed_at)
        SELECT 'mail', gen_random_uuid(), 'T', 1, 'A', 'k' || n, '', 'text/plain', '{}', now(), now(), n, n, 'X', 'X',
               'x', 'x', 1, now(), now()
          FROM generate_series(1, 20000) n
        """);
    DATABASE.execute("ANALYZE");
  }

  @AfterAll
  static void discard() {
    DATABASE.discard();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT state FROM posthorn_message_state WHERE id = md5('77')::uuid",
        "SELECT state FROM posthorn_message_state WHERE key = 'k77'",
        "SELECT state FROM posthorn_message_state WHERE aggregate_type = 'A' AND key = 'k77'",
        "SELECT seq FROM posthorn_log WHERE key = 'hot' ORDER BY seq DESC LIMIT 20",
        "SELECT seq FROM posthorn_log WHERE key = 'hot' AND seq < 10 ORDER BY seq DESC LIMIT 1",
        "SELECT seq FROM posthorn_log WHERE headers ->> 'correlation-id' = 'c77' ORDER BY seq",
        "SELECT id FROM posthorn_dead_letter WHERE key = 'k77' AND state = 'DEAD'",
      })
  void finding_is_a_look_up(String question) throws SQLException {
    String plan = analyze(question);
    assertThat(rowsRead(plan)).as(plan).isLessThan(500);
  }

  static Stream<Sql> lookUps() {
    return Stream.of(IdFinder.NEXT_MESSAGE, IdFinder.NEXT_LETTER, IdFinder.NEXT_OPERATION);
  }

  @ParameterizedTest
  @MethodSource("lookUps")
  void the_beginning_of_an_id_is_a_look_up(Sql lookUp) throws SQLException {
    for (String prefix : List.of("0000", "8a3f", "ffff")) {
      String question = DATABASE.names().in(lookUp);
      List<String> values = new ArrayList<>();
      for (String parameter : lookUp.parameters()) {
        values.add(
            "'%s'::uuid"
                .formatted(
                    parameter.equals("from")
                        ? IdPrefix.of(prefix).first()
                        : IdPrefix.of(prefix).last()));
      }
      String plan = analyze(question.replace("?", "%s").formatted(values.toArray()));
      assertThat(plan).doesNotContain("Seq Scan on posthorn_log", "Seq Scan on posthorn_dead");
      assertThat(rowsRead(plan)).as(plan).isLessThan(50);
    }
  }

  private static double rowsRead(String plan) {
    double rows = 0;
    double loops = 1;
    for (String line : plan.lines().toList()) {
      Matcher read = READ.matcher(line);
      Matcher removed = REMOVED.matcher(line);
      if (read.find()) {
        loops = Double.parseDouble(read.group(2));
        rows += Double.parseDouble(read.group(1)) * loops;
      } else if (removed.find()) {
        rows += Double.parseDouble(removed.group(1)) * loops;
      }
    }
    return rows;
  }

  private static String analyze(String question) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (Connection connection = DATABASE.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet lines =
            statement.executeQuery(
                "EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS off) " + question)) {
      while (lines.next()) {
        plan.append(lines.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }
}

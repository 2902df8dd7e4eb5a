package io.posthorn.postgresql.parked;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading a page of the parked list costs one page, whatever the many parked messages wait for. */
class ParkedListPlansTest {
  private static final int EACH = 40_000;
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();

  /** The statistics of its own connection show what was read. */
  private static final HikariDataSource ONE = DATABASE.poolOf(1);

  private static final PostgresqlStore STORE = PostgresqlStore.on(ONE);

  /**
   * One destination for each reason to wait, with the SQL of key, state and time of its messages.
   */
  private enum Shape {
    ALL_FAILING("'k' || n", "'RETRY'", "now() + n * interval '1 second'"),
    MANY_KEYS(
        "'k' || n % 1000",
        "CASE WHEN n < 1000 THEN 'RETRY' ELSE 'TURN' END",
        "CASE WHEN n < 1000 THEN now() + n * interval '1 second' END"),
    ONE_KEY(
        "'hot'", "CASE WHEN n = 0 THEN 'RETRY' ELSE 'TURN' END", "CASE WHEN n = 0 THEN now() END"),
    SCHEDULED("'k' || n", "'TIME'", "now() + n * interval '1 second'"),
    HELD("'k' || n % 1000", "'TURN'", "NULL::timestamptz"),
    PAUSED("'k' || n", "'PAUSED'", "NULL::timestamptz");

    private final String key;
    private final String waiting;
    private final String time;

    Shape(String key, String waiting, String time) {
      this.key = key;
      this.waiting = waiting;
      this.time = time;
    }
  }

  @BeforeAll
  static void fill() {
    STORE.register(
        "shop",
        Stream.of(Shape.values())
            .map(shape -> new ServedDestination(shape.name(), Set.of(ServedDestination.ALL_TYPES)))
            .toList());
    for (Shape shape : Shape.values()) {
      DATABASE.execute(
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                  occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
          SELECT '%s', md5('%s' || n)::uuid, 'T', 1, 'A', %s, '', 'text/plain', '{}', now(), now(), n, n, %s, %s
            FROM generate_series(0, %d) n
          """
              .formatted(
                  shape.name(), shape.name(), shape.key, shape.waiting, shape.time, EACH - 1));
    }
    DATABASE.execute("ANALYZE");
  }

  @AfterAll
  static void discard() {
    ONE.close();
    DATABASE.discard();
  }

  private static long readSoFar() {
    Jdbc.query(ONE, "SELECT pg_stat_force_next_flush()", row -> true);
    return Jdbc.query(
            ONE,
            """
            SELECT t.seq_tup_read + (SELECT sum(i.idx_tup_read)
                                       FROM pg_stat_user_indexes i
                                      WHERE i.relname = 'posthorn_parked')
              FROM pg_stat_user_tables t
             WHERE t.relname = 'posthorn_parked'
            """,
            row -> row.getLong(1))
        .get(0);
  }

  @ParameterizedTest
  @EnumSource
  void a_page_reads_a_page(Shape shape) {
    long before = readSoFar();
    List<ParkedMessage> first = STORE.parked(shape.name(), null, 20);
    long between = readSoFar();
    assertThat(between - before).isBetween(1L, 3_000L);
    assertThat(first).hasSize(shape == Shape.ONE_KEY ? 1 : 20);
    List<ParkedMessage> next =
        STORE.parked(shape.name(), first.get(first.size() - 1).messageId(), 20);
    assertThat(readSoFar() - between).isBetween(1L, 3_000L);
    assertThat(next).doesNotContainAnyElementsOf(first);
  }

  @Test
  void a_page_of_one_key_reads_a_page() {
    long before = readSoFar();
    List<ParkedMessage> first = STORE.parked(Shape.ONE_KEY.name(), new Key("A", "hot"), null, 2);
    assertThat(first)
        .extracting(ParkedMessage::behind)
        .containsOnly((long) ParkedMessage.MOST_BEHIND);
    assertThat(readSoFar() - before).isBetween(1L, 3_000L);
  }

  @Test
  void what_is_parked_is_counted_only_so_far() {
    long before = readSoFar();
    assertThat(STORE.destinations())
        .filteredOn(
            status -> Arrays.stream(Shape.values()).anyMatch(s -> s.name().equals(status.name())))
        .extracting(DestinationStatus::parked)
        .containsOnly((long) DestinationStatus.MOST_COUNTED);
    assertThat(readSoFar() - before).isLessThan(2L * EACH * Shape.values().length / 3);
    assertThat(
            DATABASE.query(
                "SELECT max(parked) FROM posthorn_destination_status", row -> row.getInt(1)))
        .containsExactly(DestinationStatus.MOST_COUNTED);
  }
}

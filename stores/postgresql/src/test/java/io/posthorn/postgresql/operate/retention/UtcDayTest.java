package io.posthorn.postgresql.operate.retention;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.testkit.TestLane;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A day is a UTC day, whatever the time zone of the session. At any time, at least one of these
 * zones has another date than UTC.
 */
class UtcDayTest {
  private static final String EARLY = "Pacific/Kiritimati";
  private static final String LATE = "Pacific/Pago_Pago";
  private static final String SUMMER_TIME = "America/New_York";

  private static final List<String> INSTANTS =
      List.of(
          "1970-01-01T00:00:00Z",
          "2024-02-28T23:59:59.999999Z",
          "2024-02-29T00:00:00Z",
          "2024-02-29T00:00:00.000001Z",
          "2024-03-10T06:59:59Z",
          "2024-03-10T07:00:00Z",
          "2024-12-31T23:59:59.999999Z",
          "2025-01-01T00:00:00Z",
          "2038-01-19T03:14:08Z",
          "2099-12-31T23:59:59.999999Z");

  private final PostgresqlDatabase database = TestServer.newest().database();

  @AfterEach
  void close() {
    database.close();
  }

  private HikariDataSource sessionsIn(String zone) {
    HikariDataSource sessions = new HikariDataSource();
    sessions.setJdbcUrl(((HikariDataSource) database.dataSource()).getJdbcUrl());
    sessions.setConnectionInitSql("SET TimeZone = '" + zone + "'");
    return sessions;
  }

  private static LocalDate dayOf(Instant instant) {
    return LocalDate.ofInstant(instant, ZoneOffset.UTC);
  }

  private static long slotOf(Instant instant) {
    return Math.floorMod(dayOf(instant).toEpochDay(), Ring.LEAVES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTC", EARLY, LATE, SUMMER_TIME})
  void a_slot_changes_at_midnight_of_utc(String zone) {
    try (HikariDataSource sessions = sessionsIn(zone)) {
      for (String instant : INSTANTS) {
        assertThat(Jdbc.number(sessions, "SELECT posthorn_slot('%s')".formatted(instant)))
            .as(instant)
            .isEqualTo(slotOf(Instant.parse(instant)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTC", EARLY, LATE})
  void messages_and_progress_are_in_the_leaf_of_the_utc_day(String zone) {
    try (HikariDataSource sessions = sessionsIn(zone)) {
      TestLanes lanes = new TestLanes(sessions);
      TestLane shop = lanes.take("shop");
      lanes.commit("1", "2");
      Jdbc.execute(sessions, "SELECT posthorn_add('Tested', '')");
      assertThat(shop.drain()).hasSize(3);
    }
    assertThat(leaves("posthorn_log", "recorded_at", "true")).hasSize(3);
    assertThat(leaves("posthorn_progress", "at", "destination = 'shop'"))
        .hasSizeGreaterThanOrEqualTo(2);
  }

  /** Returns the leaves of the rows, and asserts that each row is in the right one. */
  private List<String> leaves(String table, String time, String which) {
    return database.query(
        "SELECT tableoid::regclass::text, %s FROM %s WHERE %s".formatted(time, table, which),
        row -> {
          Instant at = row.getObject(2, OffsetDateTime.class).toInstant();
          assertThat(row.getString(1)).isEqualTo("%s_%02d".formatted(table, slotOf(at)));
          return row.getString(1);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTC", EARLY, LATE})
  void the_day_of_an_archive_is_that_of_utc(String zone) {
    OldMessages.add(database, 10);
    Instant first =
        database
            .query(
                "SELECT recorded_at FROM posthorn_log ORDER BY seq LIMIT 1",
                row -> row.getObject(1, OffsetDateTime.class).toInstant())
            .get(0);
    List<Part> parts = new ArrayList<>();
    try (HikariDataSource sessions = sessionsIn(zone)) {
      PostgresqlStore.on(sessions).purge(RetentionTimes.DEFAULT, into(parts), step -> true);
    }
    assertThat(parts).extracting(Part::day).containsExactly(dayOf(first));
    assertThat(parts.get(0).lines()).allMatch(line -> line.contains("+00:00\""));
  }

  private static Archive into(List<Part> parts) {
    return new Archive() {
      @Override
      public String name() {
        return "list";
      }

      @Override
      public void append(Part part) {
        parts.add(part);
      }
    };
  }
}

package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks that each destination has a live relay, and a second one that could take over. */
final class RelaysExam {
  // Every relay serves the built-in destination.
  private static final Sql SERVED =
      Sql.of(
          "look who serves",
          """
          SELECT d.name,
                 (SELECT CASE WHEN bool_and(r.id IS NOT NULL) THEN min(r.name) END
                    FROM posthorn_lane l
                    LEFT JOIN posthorn_relay r ON r.id = l.relay AND r.expires_at > clock_timestamp()
                   WHERE l.destination = d.name) AS holder,
                 (SELECT count(*)
                    FROM posthorn_relay r
                   WHERE r.expires_at > clock_timestamp()
                     AND (d.name = 'unrouted'
                          OR EXISTS (SELECT 1
                                       FROM posthorn_relay_serves s
                                      WHERE s.relay = r.id
                                        AND s.destination = d.name))) AS able,
                 EXISTS (SELECT 1 FROM posthorn_parked p WHERE p.destination = d.name)
                   OR coalesce(g.pending > 0, false) AS waits,
                 (SELECT m.environment IS NOT NULL FROM posthorn_meta m) AS started
            FROM posthorn_destination d
            LEFT JOIN posthorn_backlog_now g ON g.destination = d.name
           ORDER BY d.name
          """);

  private static final Sql EXPIRED =
      Sql.of(
          "find expired leases",
          """
          SELECT r.name, string_agg(DISTINCT l.destination, ', ' ORDER BY l.destination) AS destinations,
                 date_part('epoch', clock_timestamp() - r.expires_at)::bigint AS seconds
            FROM posthorn_relay r
            JOIN posthorn_lane l ON l.relay = r.id
           WHERE r.expires_at <= clock_timestamp()
           GROUP BY r.id, r.name, r.expires_at
           ORDER BY r.expires_at
          """);

  private record Served(
      String destination, @Nullable String holder, int able, boolean waits, boolean started) {
    static Served of(ResultSet row) throws SQLException {
      return new Served(
          Objects.requireNonNull(row.getString("name")),
          row.getString("holder"),
          row.getInt("able"),
          row.getBoolean("waits"),
          row.getBoolean("started"));
    }
  }

  private RelaysExam() {}

  static List<Diagnosis> look(Database.Tx tx) throws SQLException {
    List<Diagnosis> found = new ArrayList<>();
    found.addAll(expired(tx));
    List<Served> all;
    try (Query query = tx.query(SERVED)) {
      all = query.rows(Served::of);
    }
    all.stream().filter(d -> d.holder == null).map(RelaysExam::notServed).forEach(found::add);
    if (all.stream().allMatch(d -> d.holder != null)) {
      found.add(
          DoctorCheck.NOT_SERVED.ok(
              "a live relay serves each of " + Count.exactly(all.size()).of("destination")));
    }
    List<String> alone = all.stream().filter(d -> d.able == 1).map(Served::destination).toList();
    if (!alone.isEmpty()) {
      found.add(
          DoctorCheck.NOBODY_STANDS_BY.note(
              "only one live relay is configured for: " + String.join(", ", alone)));
    } else if (all.stream().allMatch(d -> d.able > 1)) {
      found.add(
          DoctorCheck.NOBODY_STANDS_BY.ok(
              "at least two live relays are configured for each destination"));
    }
    return found;
  }

  /** Before the first relay has started, this is normal and only a note. */
  private static Diagnosis notServed(Served d) {
    Severity severity = !d.started ? Severity.NOTE : d.waits ? Severity.FAULT : Severity.WARNING;
    String able =
        d.able == 0
            ? "no live relay is configured for it"
            : Count.exactly(d.able)
                .of("live relay is configured for it", "live relays are configured for it");
    DoctorCheck look =
        d.destination.equals(RelayStore.UNROUTED)
            ? DoctorCheck.UNROUTED_NOT_SERVED
            : DoctorCheck.NOT_SERVED;
    return look.is(
        severity,
        "no relay serves '%s' (%s)%s"
            .formatted(d.destination, able, d.waits ? ", and messages wait for it" : ""));
  }

  private static List<Diagnosis> expired(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(EXPIRED)) {
      return TransactionsExam.orElse(
          query.rows(
              row ->
                  DoctorCheck.LEASE_EXPIRED.fault(
                      "the lease of relay '%s' ran out %,d s ago, and no relay has taken over: %s"
                          .formatted(
                              row.getString("name"),
                              row.getLong("seconds"),
                              row.getString("destinations")))),
          DoctorCheck.LEASE_EXPIRED.ok("no lease has run out"));
    }
  }
}

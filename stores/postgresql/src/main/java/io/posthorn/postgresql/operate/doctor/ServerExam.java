package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Checks the server beyond its settings: connections, clock, standbys, poolers. */
final class ServerExam {
  private static final Sql CONNECTIONS =
      Sql.of(
          "count connections",
          """
          SELECT (SELECT sum(numbackends) FROM pg_stat_database)::int AS used,
                 current_setting('max_connections')::int
                   - current_setting('superuser_reserved_connections')::int
                   - coalesce(current_setting('reserved_connections', true), '0')::int AS usable,
                 pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all
          """);

  private static final Sql NOW = Sql.of("read clock", "SELECT clock_timestamp()");

  private static final Sql STANDBYS =
      Sql.of(
          "count standbys",
          """
          SELECT (SELECT count(*) FROM pg_stat_replication) AS standbys,
                 current_setting('synchronous_standby_names') AS names
          """);

  private static final Sql PROCESS = Sql.of("read process", "SELECT pg_backend_pid()");

  private static final Duration APART = Duration.ofSeconds(5);
  private static final int FULL_PERCENT = 90;

  private ServerExam() {}

  static List<Diagnosis> connections(Database.Tx tx) throws SQLException {
    record Connections(int used, int usable, boolean seesAll) {}
    Connections is;
    try (Query query = tx.query(CONNECTIONS)) {
      is =
          Objects.requireNonNull(
              query.first(row -> new Connections(row.getInt(1), row.getInt(2), row.getBoolean(3))));
    }
    List<Diagnosis> found = new ArrayList<>();
    String used = "%,d of %,d connections are in use".formatted(is.used, is.usable);
    found.add(
        is.used * 100 >= is.usable * FULL_PERCENT
            ? DoctorCheck.CONNECTIONS.warning(used)
            : DoctorCheck.CONNECTIONS.ok(used));
    found.add(
        is.seesAll
            ? DoctorCheck.SIGHT.ok("this role sees the transactions of other sessions")
            : DoctorCheck.SIGHT.note("this role does not see what other sessions are doing"));
    return found;
  }

  /**
   * The server reads its clock at some moment between the two local readings, so only a difference
   * beyond both of them counts.
   */
  static Diagnosis clock(Database.Tx tx, Clock clock) throws SQLException {
    try (Query query = tx.query(NOW)) {
      Instant before = clock.instant();
      Instant there = Objects.requireNonNull(query.first(row -> row.getTimestamp(1).toInstant()));
      Instant after = clock.instant();
      Duration ahead = Duration.between(there, before);
      Duration behind = Duration.between(after, there);
      String less = "the clocks of the server and of this machine differ by less than ";
      if (ahead.compareTo(APART) > 0) {
        return DoctorCheck.CLOCK.warning(
            "the clock of this machine is %,d s ahead of the server's"
                .formatted(ahead.toSeconds()));
      }
      return behind.compareTo(APART) > 0
          ? DoctorCheck.CLOCK.warning(
              "the clock of this machine is %,d s behind the server's"
                  .formatted(behind.toSeconds()))
          : DoctorCheck.CLOCK.ok(less + APART.toSeconds() + " s");
    }
  }

  static Diagnosis standbys(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(STANDBYS)) {
      return Objects.requireNonNull(
          query.first(
              row -> {
                long standbys = row.getLong("standbys");
                String follow = Count.exactly(standbys).of("standby follows", "standbys follow");
                boolean synchronous = !row.getString("names").isBlank();
                return standbys == 0 || synchronous
                    ? DoctorCheck.ASYNCHRONOUS_STANDBY.ok(
                        follow + (synchronous ? ", synchronously" : ""))
                    : DoctorCheck.ASYNCHRONOUS_STANDBY.note(
                        follow + ", none of them synchronously");
              }));
    }
  }

  /**
   * Detects a pooler in transaction mode: two open connections with the same server process share
   * it, so a pooler lends it out for each transaction.
   */
  static Diagnosis pooler(Database.Tx tx, Database database) throws SQLException {
    int one = process(tx);
    int another =
        database.asks("reading the server process of a second connection", ServerExam::process);
    return one == another
        ? DoctorCheck.POOLER.note("connections go through a pooler in transaction mode")
        : DoctorCheck.POOLER.ok("each connection has its own session");
  }

  private static int process(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(PROCESS)) {
      return Objects.requireNonNull(query.first(row -> row.getInt(1)));
    }
  }
}

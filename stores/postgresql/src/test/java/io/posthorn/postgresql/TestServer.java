package io.posthorn.postgresql;

import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.PgBouncer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The test servers, one for each PostgreSQL version, and their databases, which are reused. */
public final class TestServer {
  private static final Map<Integer, TestServer> SERVERS = new ConcurrentHashMap<>();

  // Restores everything that the migration inserts. Rows are deleted instead of truncated, because
  // that is faster. The sequence continues, so the unrouted lane starts at its value; if it were
  // far behind, a relay would have to read the gap first, and there is none.
  private static final String EMPTY =
      """
      DELETE FROM posthorn_log;
      DELETE FROM posthorn_given_id;
      DELETE FROM posthorn_noted_id;
      DELETE FROM posthorn_route;
      DELETE FROM posthorn_relay;
      DELETE FROM posthorn_lane;
      DELETE FROM posthorn_destination;
      DELETE FROM posthorn_progress;
      DELETE FROM posthorn_parked;
      DELETE FROM posthorn_edge;
      DELETE FROM posthorn_key_edge;
      DELETE FROM posthorn_receipt;
      DELETE FROM posthorn_handled;
      DELETE FROM posthorn_handling;
      DELETE FROM posthorn_held;
      DELETE FROM posthorn_pause;
      DELETE FROM posthorn_attempt;
      DELETE FROM posthorn_dead;
      DELETE FROM posthorn_cause;
      SET session_replication_role = replica;
      DELETE FROM posthorn_audit;
      RESET session_replication_role;
      DELETE FROM posthorn_operation;
      DELETE FROM posthorn_operation_outcome;
      DELETE FROM posthorn_archive;
      DELETE FROM posthorn_archive_dead;
      DELETE FROM posthorn_archived;
      DELETE FROM posthorn_archived_letter;
      DELETE FROM posthorn_breaker;
      DELETE FROM posthorn_check;
      DELETE FROM posthorn_migration WHERE version > 1;
      INSERT INTO posthorn_migration (version, name) VALUES (1, 'outbox') ON CONFLICT DO NOTHING;
      UPDATE posthorn_meta SET environment = NULL, system_identifier = NULL;
      INSERT INTO posthorn_destination (name) VALUES ('unrouted');
      INSERT INTO posthorn_lane (destination, lane) VALUES ('unrouted', 0);
      INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
      SELECT 'unrouted', 0, gen_random_uuid(), pg_current_snapshot(), last_value - (NOT is_called)::int, 0
        FROM posthorn_seq;
      """;

  /** After every test, no message may be parked where relays would overlook it. */
  private static final String BELOW_EDGES =
      """
      SELECT p.destination || ' ' || coalesce(p.key, '-') || ' ' || p.position || ' ' || p.waiting
        FROM posthorn_parked p
        LEFT JOIN posthorn_lane n
          ON n.destination = p.destination
         AND p.bucket BETWEEN n.first_bucket AND n.last_bucket
        LEFT JOIN LATERAL
             (SELECT x.position, x.behind, x.due, x.safe
                FROM posthorn_edge x
               WHERE x.destination = p.destination
                 AND x.lane = n.lane
               ORDER BY x.n DESC
               LIMIT 1) e ON true
        LEFT JOIN LATERAL
             (SELECT x.position
                FROM posthorn_key_edge x
               WHERE x.destination = p.destination
                 AND x.aggregate_type = p.aggregate_type
                 AND x.key = p.key
               ORDER BY x.n DESC
               LIMIT 1) k ON true
       WHERE p.next_attempt_at < e.due
          OR (p.waiting <> 'TIME' AND (p.position < e.position OR p.position < k.position))
          OR (p.waiting = 'BEHIND' AND p.position < e.behind)
      UNION ALL
      SELECT 'edge of key ' || k.key || ' above ' || e.safe
        FROM posthorn_key_edge k
       CROSS JOIN LATERAL
             (SELECT max(x.safe) AS safe
                FROM posthorn_edge x
               WHERE x.destination = k.destination) e
       WHERE k.position > e.safe + 1
      """;

  private static final String FOUR_LANES =
      """
      CREATE FUNCTION divide() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE posthorn_lane SET last_bucket = 63 WHERE destination = NEW.destination AND lane = 0;
        INSERT INTO posthorn_lane (destination, lane, first_bucket, last_bucket)
        SELECT NEW.destination, n, n * 64, n * 64 + 63 FROM generate_series(1, 3) AS n;
        RETURN NULL;
      END $$;
      CREATE TRIGGER divide AFTER INSERT ON posthorn_lane
        FOR EACH ROW WHEN (NEW.lane = 0 AND NEW.destination <> 'unrouted') EXECUTE FUNCTION divide();
      CREATE FUNCTION begin_all() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        SELECT NEW.destination, n, gen_random_uuid(), NEW.s1, NEW.low1, NEW.last_seq
          FROM generate_series(1, 3) AS n
         WHERE NOT EXISTS (SELECT 1 FROM posthorn_progress WHERE destination = NEW.destination AND lane = 1);
        RETURN NULL;
      END $$;
      CREATE TRIGGER begin_all AFTER INSERT ON posthorn_progress
        FOR EACH ROW WHEN (NEW.lane = 0 AND NEW.destination <> 'unrouted') EXECUTE FUNCTION begin_all();
      """;

  private final EmbeddedPostgres postgres;
  private final Map<String, Deque<PostgresqlDatabase>> free = new HashMap<>();
  private PgBouncer bouncer;

  private TestServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  public static TestServer ofVersion(int major) {
    return SERVERS.computeIfAbsent(
        major,
        version ->
            new TestServer(
                version == EmbeddedPostgres.defaultVersion()
                    ? EmbeddedPostgres.shared()
                    : EmbeddedPostgres.builder().version(version).start()));
  }

  public static TestServer newest() {
    return ofVersion(EmbeddedPostgres.defaultVersion());
  }

  public EmbeddedPostgres postgres() {
    return postgres;
  }

  /** Returns an empty database with the tables; closing it makes it available again. */
  public PostgresqlDatabase database() {
    return database(Tables.DEFAULT);
  }

  synchronized PostgresqlDatabase database(Tables tables) {
    return reused(tables.toString(), tables, postgres::jdbcUrl);
  }

  public synchronized PostgresqlDatabase databaseBehindBouncer() {
    if (bouncer == null) {
      bouncer = PgBouncer.inFrontOf(postgres.port()).start();
    }
    return reused("bouncer", Tables.DEFAULT, bouncer::jdbcUrl);
  }

  /**
   * Returns a database whose connections are not in auto-commit mode and use the highest isolation
   * level. Its texts are sorted as in German.
   */
  public synchronized PostgresqlDatabase databaseWithOddPool() {
    String serializable = "&options=-c%20default_transaction_isolation=serializable";
    return reused(
        "odd",
        () ->
            PostgresqlDatabase.withoutAutoCommit(
                postgres.jdbcUrl(migratedThatSortsAs("de")) + serializable));
  }

  /**
   * Returns a database whose destinations have four lanes each, from the transaction on that
   * registers them. Registration itself knows one lane only.
   */
  public synchronized PostgresqlDatabase databaseWithFourLanes() {
    return reused(
        "four lanes",
        () -> {
          PostgresqlDatabase divided =
              new PostgresqlDatabase(postgres.jdbcUrl(migrated(Tables.DEFAULT)), Tables.DEFAULT);
          divided.execute(FOUR_LANES);
          divided.hasLanes(4);
          return divided;
        });
  }

  /**
   * Returns a database for one test only, because emptying would not remove what the test leaves.
   * The test discards it.
   */
  public synchronized PostgresqlDatabase databaseOfItsOwn() {
    return new PostgresqlDatabase(postgres.jdbcUrl(migrated(Tables.DEFAULT)), Tables.DEFAULT);
  }

  /**
   * Returns a database for one test that sorts texts by this language instead of by character code.
   */
  public synchronized PostgresqlDatabase databaseThatSortsAs(String language) {
    return new PostgresqlDatabase(postgres.jdbcUrl(migratedThatSortsAs(language)), Tables.DEFAULT);
  }

  private String migratedThatSortsAs(String language) {
    String name = postgres.freshDatabase() + "_" + language;
    Jdbc.execute(
        postgres.dataSource("postgres"),
        "CREATE DATABASE %s TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '%s'"
            .formatted(name, language));
    new Migrations(Tables.DEFAULT).migrate(postgres.dataSource(name));
    return name;
  }

  private PostgresqlDatabase reused(String kind, Tables tables, UnaryOperator<String> jdbcUrl) {
    return reused(kind, () -> new PostgresqlDatabase(jdbcUrl.apply(migrated(tables)), tables));
  }

  private PostgresqlDatabase reused(String kind, Supplier<PostgresqlDatabase> fresh) {
    Deque<PostgresqlDatabase> pool = free.computeIfAbsent(kind, k -> new ArrayDeque<>());
    if (!pool.isEmpty()) {
      return pool.pop();
    }
    PostgresqlDatabase created = fresh.get();
    created.onClose(
        () -> {
          List<String> overlooked = created.query(BELOW_EDGES, row -> row.getString(1));
          created.execute(EMPTY);
          if (!overlooked.isEmpty()) {
            throw new AssertionError("below an edge, where nobody looks: " + overlooked);
          }
          synchronized (this) {
            pool.push(created);
          }
        });
    return created;
  }

  private String migrated(Tables tables) {
    String name = postgres.freshDatabase();
    new Migrations(tables).migrate(postgres.dataSource(name));
    return name;
  }
}

package io.posthorn.postgresql;

import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.PgBouncer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers of these tests, one for each version, and the databases in them, used again and
 * again.
 */
final class TestServer {
  private static final Map<Integer, TestServer> SERVERS = new ConcurrentHashMap<>();

  // Everything the migration puts in is put in again. Rows are deleted and not truncated: that is
  // quicker.
  private static final String EMPTY =
      """
      DELETE FROM posthorn_log;
      DELETE FROM posthorn_given_id;
      DELETE FROM posthorn_route;
      DELETE FROM posthorn_relay;
      DELETE FROM posthorn_lane;
      DELETE FROM posthorn_destination;
      DELETE FROM posthorn_progress;
      DELETE FROM posthorn_parked;
      DELETE FROM posthorn_held;
      DELETE FROM posthorn_attempt;
      DELETE FROM posthorn_dead;
      DELETE FROM posthorn_breaker;
      UPDATE posthorn_meta SET environment = NULL, system_identifier = NULL;
      INSERT INTO posthorn_destination (name) VALUES ('unrouted');
      INSERT INTO posthorn_lane (destination, lane) VALUES ('unrouted', 0);
      INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
      VALUES ('unrouted', 0, gen_random_uuid(), pg_current_snapshot(), 0, 0);
      """;

  private final EmbeddedPostgres postgres;
  private final Deque<PostgresqlDatabase> free = new ArrayDeque<>();
  private final Deque<PostgresqlDatabase> freeBehindBouncer = new ArrayDeque<>();
  private PgBouncer bouncer;

  private TestServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  static TestServer ofVersion(int major) {
    return SERVERS.computeIfAbsent(
        major,
        version ->
            new TestServer(
                version == EmbeddedPostgres.defaultVersion()
                    ? EmbeddedPostgres.shared()
                    : EmbeddedPostgres.builder().version(version).start()));
  }

  static TestServer newest() {
    return ofVersion(EmbeddedPostgres.defaultVersion());
  }

  EmbeddedPostgres postgres() {
    return postgres;
  }

  /** An empty database with the tables; goes back when it is closed. */
  synchronized PostgresqlDatabase database() {
    return free.isEmpty()
        ? create(free, postgres.jdbcUrl(migrated(Tables.DEFAULT)), Tables.DEFAULT)
        : free.pop();
  }

  synchronized PostgresqlDatabase database(Tables tables) {
    return create(null, postgres.jdbcUrl(migrated(tables)), tables);
  }

  synchronized PostgresqlDatabase databaseBehindBouncer() {
    if (bouncer == null) {
      bouncer = PgBouncer.inFrontOf(postgres.port()).start();
    }
    return freeBehindBouncer.isEmpty()
        ? create(freeBehindBouncer, bouncer.jdbcUrl(migrated(Tables.DEFAULT)), Tables.DEFAULT)
        : freeBehindBouncer.pop();
  }

  /** For one test that leaves things behind that emptying would not mend. */
  synchronized PostgresqlDatabase databaseOfItsOwn() {
    return create(null, postgres.jdbcUrl(migrated(Tables.DEFAULT)), Tables.DEFAULT);
  }

  private String migrated(Tables tables) {
    String name = postgres.freshDatabase();
    new Migrations(tables).migrate(postgres.dataSource(name));
    return name;
  }

  private PostgresqlDatabase create(Deque<PostgresqlDatabase> pool, String jdbcUrl, Tables tables) {
    PostgresqlDatabase[] created = new PostgresqlDatabase[1];
    created[0] =
        new PostgresqlDatabase(
            jdbcUrl,
            tables,
            () -> {
              if (pool == null) {
                created[0].discard();
              } else {
                created[0].execute(EMPTY);
                synchronized (this) {
                  pool.push(created[0]);
                }
              }
            });
    return created[0];
  }
}

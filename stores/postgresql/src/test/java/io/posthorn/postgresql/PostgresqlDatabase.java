package io.posthorn.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.Store;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database of a real server. Closing it empties it and makes it available to the next test. */
public final class PostgresqlDatabase implements TestDatabase {
  private final HikariDataSource dataSource;
  private final HikariDataSource ofStores;
  private final Tables tables;
  private int lanes = 1;
  private Runnable onClose = this::discard;

  public PostgresqlDatabase(String jdbcUrl, Tables tables) {
    this.dataSource = pool(jdbcUrl, true);
    this.ofStores = dataSource;
    this.tables = tables;
  }

  private PostgresqlDatabase(String jdbcUrl, HikariDataSource ofStores) {
    this.dataSource = pool(jdbcUrl, true);
    this.ofStores = ofStores;
    this.tables = Tables.DEFAULT;
  }

  /** A database whose stores get connections that are not in auto-commit mode. */
  static PostgresqlDatabase withoutAutoCommit(String jdbcUrl) {
    return new PostgresqlDatabase(jdbcUrl, pool(jdbcUrl, false));
  }

  private static HikariDataSource pool(String jdbcUrl, boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setAutoCommit(autoCommit);
    config.setMinimumIdle(0);
    config.setMaximumPoolSize(40);
    return new HikariDataSource(config);
  }

  /** Returns another pool with this many connections; the caller closes it. */
  public HikariDataSource poolOf(int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(dataSource.getJdbcUrl());
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  void hasLanes(int count) {
    this.lanes = count;
  }

  @Override
  public int lanes() {
    return lanes;
  }

  /** Unless this is set, closing the database discards it. */
  void onClose(Runnable action) {
    this.onClose = action;
  }

  @Override
  public DataSource dataSource() {
    return dataSource;
  }

  @Override
  public Store store() {
    return PostgresqlStore.on(ofStores, tables);
  }

  @Override
  public InboxStore inbox() {
    return PostgresqlStore.on(ofStores, tables);
  }

  @Override
  public OperatorStore operator() {
    return PostgresqlStore.on(ofStores, tables);
  }

  @Override
  public Store anotherStore() {
    return store();
  }

  /** Returns the same database as seen by another user; opens a new connection each time. */
  public DataSource as(String user) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(dataSource.getJdbcUrl());
    source.setUser(user);
    return source;
  }

  public String name() {
    return query("SELECT current_database()", row -> row.getString(1)).get(0);
  }

  public TableNames names() {
    return tables.names();
  }

  public Tables tables() {
    return tables;
  }

  public void execute(String sql) {
    Jdbc.execute(dataSource, tables.names().in(sql));
  }

  public <T> List<T> query(String sql, Query.Row<T> mapper) {
    return Jdbc.query(dataSource, tables.names().in(sql), mapper);
  }

  @Override
  public long outcomes() {
    return query("SELECT count(*) FROM posthorn_operation_outcome", row -> row.getLong(1)).get(0);
  }

  @Override
  public void pass(Duration time) {
    String past = "- interval '" + time.toSeconds() + " seconds'";
    execute(
        """
        UPDATE posthorn_log SET recorded_at = recorded_at %1$s, not_before = not_before %1$s,
                                slot = posthorn_slot(recorded_at %1$s);
        UPDATE posthorn_progress SET at = at %1$s, slot = posthorn_slot(at %1$s);
        UPDATE posthorn_parked SET parked_at = parked_at %1$s, next_attempt_at = next_attempt_at %1$s,
                                   not_before = not_before %1$s, first_failed_at = first_failed_at %1$s,
                                   last_failed_at = last_failed_at %1$s, recorded_at = recorded_at %1$s,
                                   suspected_at = suspected_at %1$s;
        UPDATE posthorn_edge SET at = at %1$s, due = due %1$s, oldest = oldest %1$s, safe_at = safe_at %1$s,
                                 low_at = low_at %1$s;
        UPDATE posthorn_key_edge SET at = at %1$s;
        UPDATE posthorn_route SET since_time = since_time %1$s;
        UPDATE posthorn_dead SET created_at = created_at %1$s, first_failed_at = first_failed_at %1$s,
                                 last_failed_at = last_failed_at %1$s, requeued_at = requeued_at %1$s,
                                 outcome_at = outcome_at %1$s, restored_at = restored_at %1$s;
        UPDATE posthorn_attempt SET at = at %1$s;
        UPDATE posthorn_relay SET expires_at = expires_at %1$s;
        UPDATE posthorn_given_id SET recorded_at = recorded_at %1$s;
        UPDATE posthorn_noted_id SET recorded_at = recorded_at %1$s;
        UPDATE posthorn_operation SET created_at = created_at %1$s, paced_at = paced_at %1$s,
               moved_at = moved_at %1$s;
        UPDATE posthorn_receipt SET received_at = received_at %1$s, handled_at = handled_at %1$s,
                                    slot = CASE WHEN slot < 0 THEN slot ELSE (slot + 4000 - %2$d) %% 40 END;
        UPDATE posthorn_handled SET day = day - %2$d;
        """
            .formatted(past, time.toDays()));
  }

  @Override
  public void addOnTheDayOf(Connection tx, UUID other, Message message) {
    try (Statement statement = tx.createStatement()) {
      statement.execute(
          tables
              .names()
              .in(
                  """
              INSERT INTO posthorn_log (id, type, payload, recorded_at, slot)
              SELECT '%s', '%s', '\\x%s', recorded_at, slot
                FROM posthorn_log
               WHERE id = '%s'
              """
                      .formatted(
                          message.id(),
                          message.type(),
                          HexFormat.of().formatHex(message.payload()),
                          other)));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void pause(String destination, boolean paused) {
    Actor by = new Actor("the test", "it is part of it");
    if (paused) {
      Steering.on(operator()).pause(destination, by);
    } else {
      Steering.on(operator()).resume(destination, by);
    }
  }

  @Override
  public void limit(String destination, double ratePerSecond) {
    Steering.on(operator()).limit(destination, ratePerSecond, new Actor("the test", "of limits"));
  }

  @Override
  public void letGo(String destination, Key key) {
    execute(
        """
        DELETE FROM posthorn_held
         WHERE destination = '%1$s' AND aggregate_type = '%2$s' AND key = '%3$s';
        UPDATE posthorn_parked SET next_attempt_at = clock_timestamp()
         WHERE destination = '%1$s' AND aggregate_type = '%2$s' AND key = '%3$s' AND next_attempt_at IS NULL;
        """
            .formatted(destination, key.aggregateType(), key.id()));
  }

  @Override
  public int waitingForLocks() {
    return (int)
        Jdbc.number(
            dataSource,
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
                + " current_database()");
  }

  @Override
  public List<UUID> logged() {
    return query("SELECT id FROM posthorn_log ORDER BY seq", row -> row.getObject(1, UUID.class));
  }

  @Override
  public List<Parked> parked(String destination) {
    return query(
        """
        SELECT message_id, payload, waiting, attempts,
               (date_part('epoch', next_attempt_at - clock_timestamp()) * 1000)::bigint, last_reason
          FROM posthorn_parked
         WHERE destination = '%s'
         ORDER BY position, seq
        """
            .formatted(destination),
        row ->
            new Parked(
                row.getObject(1, UUID.class),
                new String(row.getBytes(2), UTF_8),
                Waiting.valueOf(row.getString(3)),
                row.getInt(4),
                row.getObject(5) == null ? null : Duration.ofMillis(row.getLong(5)),
                row.getString(6)));
  }

  @Override
  public List<Dead> dead(String destination) {
    return query(
        """
        SELECT id, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
               cipher_key, occurred_at, recorded_at, seq, reason, last_reason, error, stack, attempts,
               first_failed_at, last_failed_at, created_at
          FROM posthorn_dead
         WHERE destination = '%s'
         ORDER BY seq
        """
            .formatted(destination),
        PostgresqlDatabase::dead);
  }

  private static Dead dead(ResultSet row) throws SQLException {
    String aggregateType = row.getString("aggregate_type");
    return new Dead(
        row.getObject("id", UUID.class),
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        row.getInt("schema_version"),
        aggregateType == null ? null : new Key(aggregateType, row.getString("key")),
        new String(row.getBytes("payload"), UTF_8),
        row.getString("content_type"),
        HeadersJson.read(row.getString("headers")),
        row.getString("cipher_key"),
        instant(row, "occurred_at"),
        instant(row, "recorded_at"),
        row.getLong("seq"),
        row.getString("reason"),
        row.getString("last_reason"),
        row.getString("error"),
        row.getString("stack"),
        row.getInt("attempts"),
        instant(row, "first_failed_at"),
        instant(row, "last_failed_at"),
        instant(row, "created_at"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  @Override
  public List<Attempt> attempts(String destination, UUID message) {
    return query(
        """
        SELECT attempt, outcome, reason, error
          FROM posthorn_attempt
         WHERE destination = '%s'
           AND message_id = '%s'
         ORDER BY attempt
        """
            .formatted(destination, message),
        row -> new Attempt(row.getInt(1), row.getString(2), row.getString(3), row.getString(4)));
  }

  @Override
  public void close() {
    onClose.run();
  }

  public void discard() {
    ofStores.close();
    dataSource.close();
  }
}

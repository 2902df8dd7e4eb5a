package io.posthorn.postgresql;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Members;
import io.posthorn.core.store.PurgeReport;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.Serving;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Signals;
import io.posthorn.core.store.Store;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** The outbox as a log in PostgreSQL 15 or newer. */
public final class PostgresqlStore implements Store {
  // The age of the oldest id there can be tells the next one without assigning one, modulo 2^32.
  private static final Sql HEAD =
      Sql.of(
          "probe",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low,
                 pg_current_snapshot() AS now,
                 (3 + age(xid '3')::bigint) & 4294967295 AS next
            FROM posthorn_seq
          """);

  private static final Sql LOOK =
      Sql.of(
          "look",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low,
                 pg_current_snapshot() AS now,
                 ARRAY (SELECT d.name
                          FROM unnest(CAST(:destinations AS text[])) AS d (name)
                         WHERE EXISTS (SELECT 1
                                         FROM posthorn_parked p
                                        WHERE p.destination = d.name
                                          AND p.next_attempt_at <= clock_timestamp())) AS due,
                 ARRAY (SELECT l.destination
                          FROM posthorn_lane l
                          LEFT JOIN posthorn_relay r ON r.id = l.relay
                         WHERE l.destination = ANY (CAST(:destinations AS text[]))
                           AND (r.id IS NULL OR r.expires_at <= clock_timestamp())) AS free
            FROM posthorn_seq
          """);

  private final Database database;
  private final Appender appender;
  private final Membership membership;
  private final LogClaims claims;
  private final Unrouted unrouted;

  private PostgresqlStore(DataSource dataSource, Tables tables) {
    this.database = new Database(dataSource, tables);
    this.appender = new Appender(tables);
    this.membership = new Membership(database);
    this.claims = new LogClaims(database);
    this.unrouted = new Unrouted(database);
  }

  /** The tables in their default place. */
  public static PostgresqlStore on(DataSource dataSource) {
    return on(dataSource, Tables.DEFAULT);
  }

  public static PostgresqlStore on(DataSource dataSource, Tables tables) {
    return new PostgresqlStore(dataSource, tables);
  }

  @Override
  public void append(
      Connection tx, List<Message> messages, List<String> cipherKeys, boolean ordered) {
    appender.append(tx, messages, cipherKeys, ordered);
  }

  @Override
  public boolean note(Connection tx, UUID id) {
    return appender.note(tx, id);
  }

  @Override
  public void verify(String environment) {
    new Preflight(database).verify(environment);
  }

  @Override
  public void register(String application, List<Serving> destinations) {
    new Registration(database).register(application, destinations);
  }

  @Override
  public void join(RelayIdentity relay, List<Serving> serves, Duration lease) {
    membership.join(relay, serves, lease);
  }

  @Override
  public Optional<Members> beat(RelayIdentity relay, Duration lease) {
    return membership.beat(relay, lease);
  }

  @Override
  public Optional<Lane> take(RelayIdentity relay, String destination, int lane) {
    return membership.take(relay, destination, lane);
  }

  @Override
  public void release(Lane lane) {
    membership.release(lane);
  }

  @Override
  public void leave(RelayIdentity relay) {
    membership.leave(relay);
  }

  @Override
  public Head head() {
    return database.read(
        "probing the log",
        HEAD,
        query ->
            Objects.requireNonNull(
                query.first(
                    row ->
                        LogHead.of(
                            row.getLong("low"),
                            Snapshot.parse(row.getString("now")),
                            row.getLong("next")))));
  }

  @Override
  public Signals look(Collection<String> destinations) {
    return database.read(
        "looking for work",
        LOOK,
        query ->
            Objects.requireNonNull(
                query
                    .setTexts("destinations", destinations)
                    .first(
                        row ->
                            new Signals(
                                new LogHead(
                                    row.getLong("low"), Snapshot.parse(row.getString("now"))),
                                Set.of((String[]) row.getArray("due").getArray()),
                                Set.of((String[]) row.getArray("free").getArray())))));
  }

  @Override
  public Claim claim(Lane lane, ClaimLimits limits) {
    return claims.claim(lane, limits);
  }

  @Override
  public Optional<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits) {
    return claims.readAhead(after, known, limits);
  }

  @Override
  public List<Delivery> claimParked(Lane lane, ClaimLimits limits) {
    return database.transaction(
        "claiming parked messages of lane " + lane,
        tx -> {
          LaneRow.fence(tx, lane);
          return ParkedReader.read(tx, lane, limits);
        });
  }

  @Override
  public Claim settle(Settlement settlement) {
    return claims.settle(settlement);
  }

  @Override
  public void breaker(Lane lane, Optional<Reason> open) {
    database.transaction(
        "noting the breaker of lane " + lane, tx -> BreakerRow.write(tx, lane, open));
  }

  @Override
  public boolean tendUnrouted(Lane lane, Duration grace) {
    return unrouted.tend(lane, grace);
  }

  @Override
  public PurgeReport purge(Duration retention) {
    return new Retention(database).purge(retention);
  }
}

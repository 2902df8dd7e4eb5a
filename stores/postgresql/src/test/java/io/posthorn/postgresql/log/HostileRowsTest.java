package io.posthorn.postgresql.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.Grants;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A role with the right to write messages may insert any row itself. No row that the database
 * accepts stops the messages of others.
 */
class HostileRowsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Columns with expressions that the database must refuse. */
  private static final List<List<String>> REFUSED =
      List.of(
          List.of("not_before", "'294276-12-31'"),
          List.of("not_before", "'infinity'"),
          List.of("not_before", "'-infinity'"),
          List.of("not_before", "'4713-01-01 BC'"),
          List.of("not_before", "'10000-01-01 00:00:00+00'"),
          List.of("not_before", "'0001-01-01 00:00:00+14'"),
          List.of("not_before", "'9999-12-31 23:59:59-12'"),
          List.of("not_before", "'9999-12-31 23:59:59.000001+00'"),
          List.of("occurred_at", "'294276-12-31'"),
          List.of("occurred_at", "'4713-01-01 BC'"),
          List.of("occurred_at", "'infinity'"),
          List.of("headers", "'[]'"),
          List.of("headers", "'\"text\"'"),
          List.of("headers", "'1e131000'"),
          List.of("headers", "'null'"),
          List.of("headers", "'{\"a\": null}'"),
          List.of("headers", "'{\"a\": true}'"),
          List.of("headers", "'{\"a\": 1e131000}'"),
          List.of("headers", "'{\"a\": []}'"),
          List.of("headers", "'{\"a\": [\"text\"]}'"),
          List.of("headers", "'{\"a\": {\"b\": \"c\"}}'"),
          List.of("headers", "'{\"correlation-id\": [1, 2]}'"),
          List.of(
              "headers", "(SELECT jsonb_object_agg(n, 1e131000) FROM generate_series(1, 1500) n)"),
          List.of("headers", "(SELECT jsonb_object_agg(n, '') FROM generate_series(1, 65) n)"),
          List.of("headers", "jsonb_build_object('a', repeat('x', 66560))"),
          List.of("headers", "(SELECT headers FROM compressed)"),
          List.of(
              "headers",
              "(SELECT jsonb_build_object('correlation-id', string_agg(md5(n::text), "
                  + "'')) FROM generate_series(1, 300) n)"),
          List.of("payload", "repeat('x', 33554433)::bytea"),
          List.of("type", "repeat('x', 201)"),
          List.of("key", "repeat('x', 256)"),
          List.of("aggregate_type", "repeat('x', 256)"),
          List.of("content_type", "repeat('x', 201)"),
          List.of("cipher_key", "repeat('x', 201)"));

  /** The database may accept these; then they are delivered or become dead letters. */
  private static final List<List<String>> ODD =
      List.of(
          List.of("not_before", "'0001-01-01 00:00:00+00'"),
          List.of("occurred_at", "'0001-01-01 00:00:00+00'"),
          List.of("occurred_at", "'9999-12-31 23:59:59+00'"),
          List.of("schema_version", "2147483647"),
          List.of("schema_version", "-2147483648"),
          List.of("type", "''"),
          List.of("type", "'*'"),
          List.of("type", "E'\\n\\t\\x01'"),
          List.of("type", "repeat('😀', 200)"),
          List.of("type", "'posthorn.Unreadable'"),
          List.of("type", "'%s %1$s {}'"),
          List.of("key", "''"),
          List.of("key", "repeat('😀', 255)", "aggregate_type", "repeat('😀', 255)"),
          List.of("aggregate_type", "'alone'"),
          List.of("aggregate_type", "''", "key", "E'\\n'"),
          List.of("content_type", "''"),
          List.of("content_type", "E'a\\r\\nX-Evil: b'"),
          List.of("content_type", "repeat('😀', 200)"),
          List.of("cipher_key", "'nobody has it'"),
          List.of("cipher_key", "''"),
          List.of("payload", "''"),
          List.of("id", "'00000000-0000-0000-0000-000000000000'"),
          List.of("id", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
          List.of("id", "'ffffffff-ffff-7fff-bfff-ffffffffffff'"),
          List.of("headers", "'{\"\": \"\"}'"),
          List.of("headers", "'{\"a\\r\\nb\": \"\\r\\n\\u0001\\\\u0000\"}'"),
          List.of("headers", "'{\"posthorn-sender\": \"evil\", \"traceparent\": \"zz\"}'"),
          List.of("headers", "jsonb_build_object('correlation-id', repeat('x', 60000))"),
          List.of(
              "headers",
              "(SELECT jsonb_object_agg(n, repeat(chr(1), 1000)) FROM generate_series(1, 64) n)"));

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final String role = "writer_" + database.name();
  private final Set<String> delivered = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void grant() {
    database.execute("DROP ROLE IF EXISTS " + role);
    database.execute("CREATE ROLE " + role + " LOGIN");
    Jdbc.execute(database.dataSource(), new Grants(database.tables()).writer(role));
  }

  @AfterEach
  void close() {
    database.execute("DROP OWNED BY " + role);
    database.execute("DROP ROLE " + role);
    database.close();
  }

  @Test
  void what_no_reader_could_read_is_refused_at_the_insert() throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Writer writer = new Writer()) {
      for (List<String> columns : REFUSED) {
        if (writer.plant(columns)) {
          taken.add(columns.toString());
        }
      }
    }
    assertThat(taken).isEmpty();
  }

  @Test
  void whatever_the_database_takes_is_delivered_or_dead_and_others_are_delivered()
      throws SQLException {
    try (Relay relay = relay(FakeConnector.acking().outcome(this::deliver))) {
      List<UUID> planted = plantAll();
      assertThat(relay).isNotNull();
      awaitAll(planted);
    }
    assertThat(database.parked("shop")).isEmpty();
  }

  @Test
  void whatever_the_database_takes_can_be_parked_and_tried_again() throws SQLException {
    Set<UUID> tried = ConcurrentHashMap.newKeySet();
    FakeConnector connector =
        FakeConnector.acking()
            .outcome(
                message ->
                    tried.add(message.id())
                        ? Outcome.failed(Reason.of("BUSY", "not now"))
                        : deliver(message));
    try (Relay relay = relay(connector)) {
      List<UUID> planted = plantAll();
      assertThat(relay).isNotNull();
      awaitAll(planted);
    }
  }

  @Test
  void whatever_the_database_takes_can_die_and_be_listed_found_and_archived() throws SQLException {
    FakeConnector connector =
        FakeConnector.acking()
            .outcome(
                message ->
                    TestMessages.content(message).startsWith("good")
                        ? deliver(message)
                        : Outcome.rejected(Reason.of("NO", "never")));
    List<UUID> planted;
    try (Relay relay = relay(connector)) {
      planted = plantAll();
      assertThat(relay).isNotNull();
      awaitAll(planted);
    }
    PostgresqlStore store = PostgresqlStore.on(database.dataSource());
    assertThat(store.messages(MessageQuery.builder().build(), null, 1_000).messages())
        .hasSizeGreaterThanOrEqualTo(planted.size());
    for (UUID id : planted) {
      assertThat(store.find(id)).isPresent();
    }
    for (DeadLetter letter : letters(store)) {
      assertThat(store.letter(letter.id())).isPresent();
    }
    RelayIdentity another = new RelayIdentity(UUID.randomUUID(), "another", "hostile");
    store.join(another, List.of(), Duration.ofMinutes(1));
    Lane unrouted = store.take(another, RelayStore.UNROUTED, 0).orElseThrow();
    for (int i = 0; store.tendUnrouted(unrouted, Duration.ofDays(1)); i++) {
      assertThat(i).isLessThan(50);
    }
    store.leave(another);
    // The test passes time by subtracting days, and there is no day before the first.
    database.execute("UPDATE posthorn_log SET not_before = NULL");
    database.pass(Duration.ofDays(9));
    RetentionTimes times = new RetentionTimes(Duration.ofDays(7), Duration.ofDays(8));
    store.purge(times, store.archiveTable(), step -> true);
    assertThat(database.logged()).isEmpty();
    assertThat(letters(store)).isEmpty();
    assertThat(database.query("SELECT count(*) FROM posthorn_archive_dead", row -> row.getInt(1)))
        .containsExactly(planted.size());
  }

  private static List<DeadLetter> letters(PostgresqlStore store) {
    return store.letters(DeadLetterQuery.waiting(), null, 1_000);
  }

  @Test
  void whatever_the_database_takes_can_be_spilled() throws SQLException {
    FakeConnector connector = FakeConnector.acking().outcome(this::deliver);
    relay(connector).close();
    List<UUID> planted = plantAll();
    PostgresqlStore.on(database.dataSource()).spill("shop", new Actor("anna", "a test"));
    assertThat(database.parked("shop")).hasSizeGreaterThanOrEqualTo(planted.size());
    try (Relay relay = relay(FakeConnector.acking().outcome(this::deliver))) {
      assertThat(relay).isNotNull();
      awaitAll(planted);
    }
  }

  private Outcome deliver(Message message) {
    delivered.add(new String(message.payload(), UTF_8));
    delivered.add(message.id().toString());
    return Outcome.SENT;
  }

  private Relay relay(FakeConnector connector) {
    return Relay.on(PostgresqlStore.on(database.dataSource()), "hostile", "hostile")
        .destination(
            Destination.named("shop", connector)
                .allTypes()
                .retry(
                    RetryPolicy.DEFAULT
                        .backoff(Duration.ofMillis(10), Duration.ofMillis(20))
                        .attempts(3))
                .breakerAfter(1_000)
                .build())
        .build()
        .start();
  }

  /** Inserts each row between two good ones. Returns the ids that the database accepted. */
  private List<UUID> plantAll() throws SQLException {
    List<UUID> planted = new ArrayList<>();
    int number = 0;
    try (Writer writer = new Writer()) {
      for (List<List<String>> rows : List.of(ODD, REFUSED)) {
        for (List<String> columns : rows) {
          writer.good(++number);
          if (writer.plant(columns)) {
            planted.add(writer.last);
          }
        }
      }
      writer.good(++number);
    }
    good = number;
    return planted;
  }

  private int good;

  private void awaitAll(List<UUID> planted) {
    Set<String> expected = new HashSet<>();
    for (int i = 1; i <= good; i++) {
      expected.add("good " + i);
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).containsAll(expected));
    PostgresqlStore store = PostgresqlStore.on(database.dataSource());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Set<String> ended = new HashSet<>(delivered);
              letters(store).forEach(letter -> ended.add(letter.messageId().toString()));
              assertThat(ended).containsAll(planted.stream().map(UUID::toString).toList());
            });
  }

  /** Has only the grants of a writer. */
  private final class Writer implements AutoCloseable {
    private final Connection connection;
    private final Statement statement;
    private UUID last = new UUID(0, 0);

    Writer() throws SQLException {
      connection = database.as(role).getConnection();
      statement = connection.createStatement();
      statement.execute("CREATE TEMP TABLE compressed (headers jsonb)");
      statement.execute(
          "INSERT INTO compressed SELECT jsonb_build_object('a', repeat('x', 1000000))");
    }

    void good(int number) throws SQLException {
      statement.execute(
          ("INSERT INTO posthorn_log (id, type, aggregate_type, key, payload) VALUES "
                  + "(gen_random_uuid(), 'T', 'Order', 'good', 'good %d')")
              .formatted(number));
    }

    /** Returns whether the database accepts the row. */
    boolean plant(List<String> columns) throws SQLException {
      StringBuilder names = new StringBuilder();
      StringBuilder values = new StringBuilder();
      last = UUID.randomUUID();
      List<String> all = new ArrayList<>(columns);
      List.of("id", "type", "key", "payload")
          .forEach(
              name -> {
                if (!columns.contains(name)
                    && !(name.equals("key") && columns.contains("aggregate_type"))) {
                  all.add(name);
                  all.add(name.equals("payload") ? "'bad'" : "'" + last + "'");
                }
              });
      for (int i = 0; i < all.size(); i += 2) {
        names.append(i == 0 ? "" : ", ").append(all.get(i));
        values.append(i == 0 ? "" : ", ").append(all.get(i + 1));
        if (all.get(i).equals("id")) {
          last = UUID.fromString(all.get(i + 1).replace("'", ""));
        }
      }
      try {
        statement.execute("INSERT INTO posthorn_log (%s) VALUES (%s)".formatted(names, values));
        return true;
      } catch (SQLException e) {
        // A CHECK, a domain's CHECK, or a text too long for an index refused it.
        assertThat(e.getSQLState()).as(e.getMessage()).isIn("23514", "54000");
        return false;
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}

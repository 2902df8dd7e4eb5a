package io.posthorn.postgresql.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code posthorn_add()} does for every language what {@code Outbox.add} does for Java. */
class AddFunctionTest {
  private static final UUID ID = UUID.fromString("0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee");

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void a_message_added_by_sql_is_delivered_like_one_added_by_java() {
    TestLane shop = lanes.take("shop");
    database.execute(
        """
        SELECT posthorn_add('OrderPlaced', convert_to('{"é": 1}', 'UTF8'), 'Order', 'o-1',
                            content_type => 'text/plain', headers => '{"a": "b \\" c", "n": 1}', id => '%s',
                            occurred_at => '2024-02-29 12:00:00+00', not_before => '2024-03-01 12:00:00+00',
                            schema_version => 7)
        """
            .formatted(ID));
    Delivery delivery = shop.batch().deliveries().get(0);
    Message message = delivery.message();
    assertThat(message.id()).isEqualTo(ID);
    assertThat(message.type()).isEqualTo("OrderPlaced");
    assertThat(new String(message.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"é\": 1}");
    assertThat(message.key()).hasToString("Order/o-1");
    assertThat(message.contentType()).isEqualTo("text/plain");
    assertThat(message.headers()).isEqualTo(Map.of("a", "b \" c", "n", "1"));
    assertThat(message.occurredAt()).isEqualTo(Instant.parse("2024-02-29T12:00:00Z"));
    assertThat(message.notBefore()).isEqualTo(Instant.parse("2024-03-01T12:00:00Z"));
    assertThat(message.schemaVersion()).isEqualTo(7);
  }

  @Test
  void a_message_needs_no_more_than_type_and_payload() {
    TestLane shop = lanes.take("shop");
    UUID id =
        database.query("SELECT posthorn_add('T', 'x')", row -> row.getObject(1, UUID.class)).get(0);
    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16))
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    assertThat(shop.batch().deliveries().get(0).message().id()).isEqualTo(id);
  }

  @Test
  void sql_and_java_agree_on_the_bucket_of_a_key() {
    for (String key : List.of("1", "o-1", "é'\"\\ 漢字", "")) {
      lanes.add(Message.of("T").key("Order", key).build());
      lanes.add(
          Message.of("T").key("Order", key).build(), Message.of("T").key("Order", key).build());
      database.execute(
          "SELECT posthorn_add('T', '', 'Order', '%s')".formatted(key.replace("'", "''")));
    }
    assertThat(
            database.query(
                "SELECT count(DISTINCT posthorn_bucket(aggregate_type, key, id)) = 1 FROM posthorn_log GROUP BY key",
                row -> row.getBoolean(1)))
        .hasSize(4)
        .containsOnly(true);
    assertThat(
            database.query(
                "SELECT bool_and(posthorn_bucket(aggregate_type, key, id) BETWEEN 0 AND 255) FROM posthorn_log",
                row -> row.getBoolean(1)))
        .containsExactly(true);
  }

  @Test
  void a_bad_type_is_refused() {
    assertThatThrownBy(() -> database.execute("SELECT posthorn_add('9 lives', '')"))
        .rootCause()
        .hasMessageContaining("POSTHORN-002")
        .hasMessageContaining("9 lives");
  }

  @Test
  void half_a_key_is_refused() {
    for (String half : List.of("aggregate_type => 'Order'", "key => 'o-1'")) {
      assertThatThrownBy(() -> database.execute("SELECT posthorn_add('T', '', %s)".formatted(half)))
          .rootCause()
          .hasMessageContaining("POSTHORN-002")
          .hasMessageContaining("both or neither");
    }
  }

  @Test
  void a_second_message_of_an_id_is_refused() {
    String add = "SELECT posthorn_add('T', '', id => '%s')".formatted(ID);
    database.execute(add);
    assertThatThrownBy(() -> database.execute(add))
        .rootCause()
        .hasMessageContaining("POSTHORN-006")
        .hasMessageContaining(ID.toString());
    Refused.with(ErrorCode.DUPLICATE_ID, () -> lanes.add(Message.of("T").id(ID).build()));
  }

  @Test
  void what_java_would_refuse_is_refused_with_the_same_code() {
    refused("POSTHORN-002", "occurred_at => 'infinity'");
    refused("POSTHORN-002", "not_before => '-infinity'");
    refused("POSTHORN-002", "not_before => '294276-12-31'");
    refused("POSTHORN-002", "not_before => '0001-12-31 23:59:59+00 BC'");
    refused("POSTHORN-002", "occurred_at => '10000-01-01 00:00:00+00'");
    refused("POSTHORN-002", "headers => '[]'");
    refused("POSTHORN-005", "aggregate_type => 'Order', key => repeat('k', 256)");
    refused("POSTHORN-005", "aggregate_type => repeat('a', 256), key => 'k'");
    refused("POSTHORN-005", "content_type => repeat('c', 201)");
    refused("POSTHORN-005", "headers => jsonb_build_object(repeat('n', 101), 'v')");
    refused("POSTHORN-005", "headers => jsonb_build_object('n', repeat('v', 4097))");
    refused("POSTHORN-005", "headers => jsonb_build_object('correlation-id', repeat('v', 256))");
    refused(
        "POSTHORN-005",
        "headers => (SELECT jsonb_object_agg('h' || n, 'v') FROM generate_series(1, 65) n)");
    refused(
        "POSTHORN-005",
        "headers => (SELECT jsonb_object_agg('h' || n, repeat('x', 4000)) FROM generate_series(1, 17) n)");
    refused("POSTHORN-005", "headers => '{\"n\": 1e131000}'");
    refused("POSTHORN-004", "payload => convert_to(repeat('x', 1048577), 'UTF8')");
    refused("POSTHORN-004", "payload => repeat('x', 33554433)::bytea, payload_limit => 1000000000");
    refused("POSTHORN-004", "payload => 'abc', payload_limit => 2");
    assertThat(database.logged()).isEmpty();
  }

  private void refused(String code, String arguments) {
    String payload = arguments.contains("payload =>") ? "" : "payload => '', ";
    assertThatThrownBy(
            () ->
                database.execute(
                    "SELECT posthorn_add(type => 'T', %s%s)".formatted(payload, arguments)))
        .rootCause()
        .hasMessageContaining(code)
        .hasMessageContaining("was not added");
  }

  @Test
  void the_longest_that_java_takes_is_taken() {
    database.execute(
        """
        SELECT posthorn_add('T', convert_to(repeat('x', 1048576), 'UTF8'), repeat('a', 255), repeat('k', 255),
                            content_type => repeat('c', 200),
                            headers => jsonb_build_object(repeat('n', 100), repeat('v', 4096)))
        """);
    assertThat(database.logged()).hasSize(1);
  }

  @Test
  void headers_that_are_no_texts_are_stored_as_their_json() {
    TestLane shop = lanes.take("shop");
    database.execute(
        "SELECT posthorn_add('T', '', headers => '{\"n\": 1.50, \"b\": true, \"z\": "
            + "null, \"a\": [1, \"x\"], \"o\": {\"p\": 2}}')");
    assertThat(shop.batch().deliveries().get(0).message().headers())
        .isEqualTo(
            Map.of("n", "1.50", "b", "true", "z", "null", "a", "[1, \"x\"]", "o", "{\"p\": 2}"));
  }

  @Test
  void the_earliest_and_the_latest_times_are_taken() {
    TestLane shop = lanes.take("shop");
    database.execute(
        "SELECT posthorn_add('T', '', occurred_at => '0001-01-01 00:00:00+00', "
            + "not_before => '9999-12-31 23:59:59+00')");
    Message message = shop.batch().deliveries().get(0).message();
    assertThat(message.occurredAt()).isEqualTo(Limits.EARLIEST);
    assertThat(message.notBefore()).isEqualTo(Limits.LATEST);
  }

  @Test
  void an_ordered_add_by_sql_waits_for_one_of_the_same_key_by_java() throws SQLException {
    Outbox outbox = Outbox.on(database.store(), MessageTypes.named("T")).build();
    try (Connection java = database.dataSource().getConnection();
        Connection sql = database.dataSource().getConnection();
        Statement add = sql.createStatement()) {
      java.setAutoCommit(false);
      outbox.addOrdered(java, List.of(Message.of("T").key("Order", "o-1").build()));
      add.execute("SET lock_timeout = '100ms'");
      add.execute("SELECT posthorn_add('T', '', 'Order', 'o-2', ordered => true)");
      String same = "SELECT posthorn_add('T', '', 'Order', 'o-1', ordered => true)";
      assertThatThrownBy(() -> add.execute(same)).hasMessageContaining("lock timeout");
      java.commit();
      add.execute(same);
      add.execute("RESET lock_timeout");
    }
  }

  @Test
  void no_transaction_locks_more_than_a_thousand_keys() {
    String many =
        "SELECT posthorn_add('T', '', 'Order', n::text, ordered => true) FROM generate_series(1, %d) n";
    database.execute(many.formatted(1_000));
    assertThatThrownBy(() -> database.execute(many.formatted(1_001)))
        .rootCause()
        .hasMessageContaining("POSTHORN-014");
  }
}

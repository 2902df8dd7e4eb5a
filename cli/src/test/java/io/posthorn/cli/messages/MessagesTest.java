package io.posthorn.cli.messages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The {@code messages} commands and {@code status}. */
class MessagesTest extends OnDatabase {
  private final Message first = order("o-1", "secret \u001b[31m text");
  private final Message second = order("o-1", "two");

  private static Message order(String key, String content) {
    return Message.of("OrderPlaced")
        .key("Order", key)
        .correlationId("c-" + key)
        .payload(content.getBytes(UTF_8), "text/plain")
        .build();
  }

  @BeforeEach
  void twoOrdersWait() throws SQLException {
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    store.register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    Outbox outbox = Outbox.on(store, MessageTypes.named("OrderPlaced")).build();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      outbox.add(connection, first);
      outbox.add(connection, second);
      connection.commit();
    }
  }

  @Test
  void a_message_is_found_by_its_id_and_its_payload_is_shown_on_request_only() {
    assertThat(out("messages", "find", first.id().toString()))
        .contains("OrderPlaced", "Order/o-1", "mail", "PENDING", "after it", second.id().toString())
        .contains("correlation-id: c-o-1", "--payload shows them")
        .doesNotContain("secret");
    assertThat(out("messages", "find", first.id().toString(), "--payload"))
        .contains("secret")
        .doesNotContain("\u001b");
    assertThat(out("messages", "find", second.id().toString(), "--json"))
        .contains("\"state\":\"PENDING\"", "\"before\":{\"id\":\"" + first.id())
        .doesNotContain("payload_base64");
    assertThat(run("messages", "find", UUID.randomUUID().toString()).err())
        .contains("there is no message");
  }

  @Test
  void a_message_is_shown_with_its_receipts_also_if_nothing_else_is_kept_of_it()
      throws SQLException {
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    store.register(
        "shop", List.of(new ServedDestination("stock", Set.of(), Start.NOW, Direction.IN)));
    Message foreign = order("o-9", "from elsewhere");
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.receive(
          connection,
          new Consumer("stock", false),
          List.of(new Received("outbox", first), new Received("till", foreign)));
      connection.commit();
    }
    assertThat(out("messages", "find", first.id().toString()))
        .contains("OrderPlaced", "mail", "PENDING", "stock", "outbox", "HANDLED");
    assertThat(out("messages", "find", foreign.id().toString()))
        .contains("only its receipts are kept", "stock", "till", "HANDLED");
    assertThat(out("messages", "find", foreign.id().toString(), "--json"))
        .contains("\"receipts\":[{", "\"sender\":\"till\"", "\"handled_at\"");
    assertThat(out("messages", "find", second.id().toString(), "--json"))
        .contains("\"receipts\":[]");
  }

  @Test
  void messages_are_listed_by_key_correlation_type_and_time() {
    assertThat(out("messages", "list", "--aggregate-type", "Order", "--key", "o-1"))
        .contains(first.id().toString(), second.id().toString(), "PENDING mail");
    assertThat(out("messages", "list", "--key", "Order/o-1")).contains(first.id().toString());
    assertThat(out("messages", "list", "--key", "o-1")).contains(first.id().toString());
    assertThat(out("messages", "list", "--key", "o-2")).contains("no messages");
    assertThat(out("messages", "list", "--key", "Basket/o-1")).contains("no messages");
    assertThat(out("messages", "list", "--correlation", "c-o-1", "--limit", "1"))
        .contains(second.id().toString(), "--after")
        .doesNotContain(first.id().toString());
    assertThat(out("messages", "list", "--type", "OrderPlaced", "--from", "1h", "--oldest-first"))
        .contains(first.id().toString());
    assertThat(out("messages", "list", "--to", "1h", "--json")).contains("\"messages\":[]");
    assertThat(run("messages", "list", "--from", "yesterday").err()).contains("is not a time");
    assertThat(run("messages", "list", "--limit", "0").code()).isEqualTo(1);
    assertThat(run("messages", "resend", "--destination", "mail", "--why", "x").err())
        .contains("which messages?");
    for (String key : List.of("o-1", "/o-1", "Order/")) {
      Ran refused = run("messages", "resend", "--destination", "mail", "--key", key, "--why", "x");
      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err()).contains("'" + key + "' is not a key", "--key Order/o-1");
    }
  }

  @Test
  void the_status_shows_all_destinations_and_relays() {
    assertThat(out("status"))
        .contains("mail", "not served", "none", "no relay is running", "the log begins");
    assertThat(out("status", "--json"))
        .contains("\"destination\":\"mail\",\"pending\":2,\"estimated\":false", "\"relays\":[]");
  }
}

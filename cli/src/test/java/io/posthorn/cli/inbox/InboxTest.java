package io.posthorn.cli.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The {@code inbox} commands. */
class InboxTest extends OnDatabase {
  private final Message order = Message.of("OrderPlaced").build();
  private final Message other = Message.of("OrderPlaced").build();

  @BeforeEach
  void twoAreHandled() throws SQLException {
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    store.register(
        "stock", List.of(new ServedDestination("stock", Set.of(), Start.NOW, Direction.IN)));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.receive(
          connection,
          new Consumer("stock", false),
          List.of(new Received("shop", order), new Received("returns", other)));
      Inbox.on(store).once(connection, "checkout", "order-77");
      connection.commit();
    }
  }

  @Test
  void receipts_are_shown_by_id_of_any_kind() {
    assertThat(out("inbox", "show", order.id().toString()))
        .contains("stock", "shop", "HANDLED", order.id().toString());
    assertThat(out("inbox", "show", "order-77", "--consumer", "checkout", "--json"))
        .contains("\"consumer\":\"checkout\"", "\"state\":\"HANDLED\"", "payload_sha256");
    assertThat(out("inbox", "show", "order-78")).contains("no receipts");
  }

  @Test
  void receipts_of_a_consumer_are_listed() {
    assertThat(out("inbox", "list", "--consumer", "stock", "--from", "1h"))
        .contains(order.id().toString(), other.id().toString());
    assertThat(out("inbox", "list", "--consumer", "stock", "--sender", "shop", "--limit", "5"))
        .contains(order.id().toString())
        .doesNotContain(other.id().toString());
    assertThat(out("inbox", "list", "--consumer", "stock", "--state", "again", "--json"))
        .contains("\"receipts\":[]");
  }

  @Test
  void handled_messages_can_be_replayed_with_an_audit_entry() {
    assertThat(run("inbox", "replay", "--consumer", "stock", "--why", "x", "--yes").err())
        .contains("which messages?");
    assertThat(run("inbox", "replay", "--consumer", "stock", "--all", "--why", "x").err())
        .contains("Let stock handle 2 messages again?", "--yes");
    String id = order.id().toString();
    assertThat(out("inbox", "replay", id, "--consumer", "stock", "--why", "bug 7", "--yes"))
        .contains("1 message will be handled when it arrives again");
    assertThat(
            out("inbox", "replay", "--consumer", "stock", "--all", "--why", "x", "--yes", "--json"))
        .contains("{\"done\":1}");
    Ran nothing = run("inbox", "replay", "--consumer", "books", "--all", "--why", "x", "--yes");
    assertThat(nothing.code()).isEqualTo(1);
    assertThat(nothing.err()).contains("nothing was done: books has handled or skipped no such");
    assertThat(out("inbox", "list", "--consumer", "stock", "--state", "AGAIN"))
        .contains(order.id().toString(), other.id().toString());
    assertThat(out("audit", "list")).contains("inbox.replay", "bug 7");
  }

  @Test
  void the_grants_of_a_receiver_are_printed() {
    assertThat(Ran.posthorn("schema", "grants", "--receiver", "stock").out())
        .contains("-- receiver: stock", "EXECUTE ON FUNCTION public.posthorn_receive");
  }
}

package io.posthorn.cli.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check whether relays can send to their destinations. */
class CheckTest extends OnDatabase {
  private static final Finding GONE =
      Finding.problem(Reason.of(Reason.NO_ADDRESS, "no topic 'orders'"));
  private static final Finding LIMIT = Finding.value("maxMessageBytes", "1048588");

  private final PostgresqlStore store = PostgresqlStore.on(dataSource);
  private volatile List<Finding> findings = List.of(GONE);

  /** A connector that sends nothing; its check finds what the test sets. */
  private final class Checked implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {}

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public List<Finding> check() {
      return findings;
    }

    @Override
    public void close() {}
  }

  private Relay relay() {
    return Relay.on(store, "shop", "test")
        .name("north")
        .destination(Destination.named("orders", new Checked()).allTypes().build())
        .build()
        .start();
  }

  @Test
  void a_check_lets_the_relays_look_and_shows_what_they_found() {
    try (Relay relay = relay()) {
      Ran bad = run("destinations", "check");
      assertThat(bad.code()).isEqualTo(6);
      assertThat(bad.out()).contains("orders", "cannot send", "NO_ADDRESS", "north");
      assertThat(run("destinations", "list").out()).contains("cannot send: NO_ADDRESS");
      assertThat(run("destinations", "list", "--json").out()).contains("\"problems\":[\"NO_ADDR");
      findings = List.of(LIMIT);
      assertThat(run("destinations", "check", "orders", "--wait", "0").out()).contains("NO_ADDR");
      Ran well = run("destinations", "check", "orders", "--json");
      assertThat(well.code()).isZero();
      assertThat(well.out()).contains("\"well\":true", "maxMessageBytes").doesNotContain("NO_ADDR");
      assertThat(run("destinations", "check", "order").err()).contains("no destination 'order'");
    }
  }

  @Test
  void without_a_relay_nobody_can_look() {
    relay().close();
    Ran ran = run("destinations", "check");
    assertThat(ran.code()).isEqualTo(6);
    assertThat(ran.out()).contains("orders", "not served");
  }
}

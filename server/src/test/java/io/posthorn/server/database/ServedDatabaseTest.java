package io.posthorn.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ServedDatabaseTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  void a_relay_that_cannot_be_built_leaves_no_connector_open() {
    Relay.Builder builder =
        Relay.on(PostgresqlStore.on(new PGSimpleDataSource()), "posthorn", "test");
    List<Destination> twice = List.of(partner("first"), partner("second"));

    // A connector that does not close hides neither the failure nor the other connectors.
    assertThatThrownBy(() -> ServedDatabase.withDestinations(builder, twice))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("already has a destination of this name");
    assertThat(closed).containsExactly("first", "second");
  }

  private Destination partner(String connector) {
    return Destination.named("partner", new Stuck(connector)).allTypes().build();
  }

  private final class Stuck implements Connector {
    private final String name;

    Stuck(String name) {
      this.name = name;
    }

    @Override
    public void send(List<Message> messages, Answers answers) {}

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {
      closed.add(name);
      throw new IllegalStateException("does not close");
    }
  }
}

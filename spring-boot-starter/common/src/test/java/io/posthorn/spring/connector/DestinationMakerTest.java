package io.posthorn.spring.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DestinationMakerTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  void a_destination_that_cannot_be_made_leaves_no_connector_open() {
    assertThatThrownBy(
            () ->
                DestinationMaker.all(
                    List.of(() -> named("one"), () -> named("stuck"), this::impossible)))
        .hasMessage("no such file")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

    assertThat(closed).containsExactly("one", "stuck");
  }

  private Destination named(String name) {
    return Destination.named(name, new Closed(name)).allTypes().build();
  }

  private Destination impossible() {
    throw new IllegalStateException("no such file");
  }

  private final class Closed implements Connector {
    private final String name;

    Closed(String name) {
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
      if (name.equals("stuck")) {
        throw new IllegalStateException("does not close");
      }
    }
  }
}

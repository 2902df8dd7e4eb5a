package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A connector that throws when it is asked. */
class SafeConnectorTest {
  private static final class Throwing implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {
      throw new IllegalStateException("nothing is sent");
    }

    @Override
    public boolean serves(String type) {
      throw new NoClassDefFoundError("io/example/" + type);
    }

    @Override
    public Optional<String> versionProblem(String type, int schemaVersion) {
      throw new IllegalStateException("no version");
    }

    @Override
    public int maxInFlight() {
      throw new IllegalStateException("no number");
    }

    @Override
    public void close() {}
  }

  private final SafeConnector connector =
      new SafeConnector(Destination.named("d", new Throwing()).allTypes().build());

  @Test
  void any_number_of_types_that_it_throws_at_takes_a_bounded_memory() {
    for (int i = 0; i < 10 * SafeConnector.MAX_LOGGED; i++) {
      assertThat(connector.serves("T" + i)).isNull();
      assertThat(connector.versionProblem("T" + i, 1)).contains("T" + i);
      assertThat(connector.logged()).isLessThanOrEqualTo(SafeConnector.MAX_LOGGED);
    }
  }

  @Test
  void it_gets_one_message_at_a_time_if_it_does_not_say_how_many() {
    assertThat(connector.maxInFlight()).isEqualTo(1);
  }
}

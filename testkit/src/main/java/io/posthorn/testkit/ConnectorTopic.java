package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One topic of what every connector promises; {@link ConnectorContract} has all at once. */
public abstract class ConnectorTopic {
  /** Longer than any server needs to come back and to be found again. */
  static final Duration RECOVERY = Duration.ofSeconds(60);

  @RegisterExtension final ConnectorMatrix matrix = new ConnectorMatrix(() -> server().name());

  private final List<Connector> connectors = new ArrayList<>();
  private ConnectorFixture fixture;

  @SuppressWarnings("NullAway.Init") // JUnit calls open() first
  protected ConnectorTopic() {}

  /** A new fixture for one test, which closes it at its end. */
  protected abstract ConnectorFixture fixture();

  @BeforeEach
  void open() {
    fixture = fixture();
  }

  @AfterEach
  void close() {
    connectors.forEach(Connector::close);
    fixture.close();
  }

  final ConnectorFixture server() {
    return fixture;
  }

  /** Leaves the test out for servers that cannot do this. */
  final void needs(ConnectorFixture.Ability ability) {
    Assumptions.assumeTrue(fixture.can().contains(ability), "does not apply");
  }

  final Connector connect() {
    Connector connector = fixture.connector();
    connectors.add(connector);
    return connector;
  }

  /** The send timeout and some more, for a machine that is busy. */
  final Duration soon() {
    return fixture.sendTimeout().plusSeconds(5);
  }

  final List<UUID> arrivedIds() {
    return fixture.arrived().stream().map(Message::id).toList();
  }

  static List<UUID> ids(List<Message> messages) {
    return messages.stream().map(Message::id).toList();
  }

  final void assertSent(Connector connector, Message... messages) {
    ConnectorCalls call = ConnectorCalls.send(connector, messages).answered(soon());
    assertThat(call.outcomes()).containsOnly(Outcome.SENT);
  }

  /** Sends new messages, as a breaker would, until one is sent. */
  final void eventuallySends(Connector connector) {
    AtomicReference<String> last = new AtomicReference<>("nothing was sent");
    try {
      await()
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(200))
          .until(
              () -> {
                Message probe = TestMessages.keyed("probe", "probe");
                ConnectorCalls call = ConnectorCalls.send(connector, probe).answered(soon());
                boolean arrived = arrivedIds().contains(probe.id());
                last.set(
                    "the last was answered %s, arrived: %s".formatted(call.outcomes(), arrived));
                return call.sent().equals(List.of(probe)) && arrived;
              });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "within %s no message came through; %s".formatted(RECOVERY, last), e);
    }
  }
}

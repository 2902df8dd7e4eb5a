package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a connector answers when its server is at fault, and that it recovers by itself. */
public abstract class OutageContract extends ConnectorTopic {
  @Test
  void a_server_that_is_down_is_unavailable_and_is_found_again() {
    needs(ConnectorFixture.Ability.STOP);
    Connector connector = connect();
    assertSent(connector, keyed("a", "before"));
    server().stop();
    assertUnavailable(connector, soon());
    assertThat(connector.check()).anyMatch(Finding::problem);
    server().start();
    eventuallySends(connector);
    assertThat(connector.check()).noneMatch(Finding::problem);
  }

  @Test
  void a_server_that_was_down_from_the_beginning_is_found() {
    needs(ConnectorFixture.Ability.STOP);
    server().stop();
    Connector connector = connect();
    assertUnavailable(connector, soon());
    server().start();
    eventuallySends(connector);
  }

  @Test
  void a_missing_address_is_unavailable_and_is_found_when_it_appears() {
    needs(ConnectorFixture.Ability.LACK_ADDRESS);
    Connector connector = connect();
    server().removeAddress();
    assertUnavailable(connector, soon());
    assertThat(connector.check()).anyMatch(Finding::problem);
    server().restoreAddress();
    eventuallySends(connector);
    assertThat(connector.check()).noneMatch(Finding::problem);
  }

  @Test
  void a_frozen_server_acknowledges_nothing_and_send_does_not_wait_for_it() {
    needs(ConnectorFixture.Ability.FREEZE);
    Connector connector = connect();
    assertSent(connector, keyed("a", "before"));
    server().freeze();
    Message frozen = keyed("a", "frozen");
    long start = System.nanoTime();
    ConnectorCalls call = ConnectorCalls.send(connector, frozen);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(soon());
    call.answered(soon());
    assertThat(call.sent()).isEmpty();
    server().thaw();
    eventuallySends(connector);
    call.assertAnsweredOnce();
  }

  @Test
  void closing_while_the_server_is_frozen_does_not_hang() {
    needs(ConnectorFixture.Ability.FREEZE);
    Connector connector = connect();
    assertSent(connector, keyed("a", "before"));
    server().freeze();
    ConnectorCalls call = ConnectorCalls.send(connector, keyed("a", "frozen"));
    long start = System.nanoTime();
    connector.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(soon());
    assertThat(call.sent()).isEmpty();
  }

  @Test
  void a_cut_connection_is_opened_again() {
    needs(ConnectorFixture.Ability.CUT);
    Connector connector = connect();
    assertSent(connector, keyed("a", "before"));
    server().cut();
    eventuallySends(connector);
  }

  /** More than one message: the first may still find an open connection. */
  private static void assertUnavailable(Connector connector, Duration within) {
    List<Message> messages = List.of(keyed("a", "1"), keyed("b", "2"));
    ConnectorCalls.send(connector, keyed("a", "0")).answered(within);
    ConnectorCalls call = ConnectorCalls.send(connector, messages).answered(within);
    assertThat(call.outcomes())
        .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Unavailable.class));
  }
}

package io.posthorn.rabbitmq;

import io.posthorn.testservers.Cut;
import io.posthorn.testservers.Direction;
import io.posthorn.testservers.StreamMatcher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures specific to RabbitMQ; the contract covers those of all brokers. */
class UnderLoadTest {
  private final RabbitMqFixture rabbit = new RabbitMqFixture();

  @AfterEach
  void close() {
    rabbit.close();
  }

  interface Step {
    void run() throws SQLException;
  }

  private void outage(Step breaking, String reason, Step fixing) throws SQLException {
    try (Load load = new Load(rabbit)) {
      load.write();
      load.assertDelivered();
      breaking.run();
      load.write();
      load.awaitBreaker(reason);
      fixing.run();
      load.write();
      load.assertDelivered();
      load.assertNoAttempts();
    }
  }

  @Test
  void an_exchange_that_is_missing_for_a_while_costs_nothing() throws SQLException {
    outage(
        rabbit.topology::deleteExchange,
        "NO_ADDRESS",
        () -> {
          rabbit.topology.declareExchange();
          rabbit.topology.bind(RabbitMqFixture.KEY);
        });
  }

  @Test
  void a_broker_that_is_short_of_memory_for_a_while_costs_nothing() throws SQLException {
    try {
      outage(rabbit.server::raiseMemoryAlarm, "BLOCKED", rabbit.server::clearMemoryAlarm);
    } finally {
      rabbit.server.clearMemoryAlarm();
    }
  }

  @Test
  void credentials_that_are_wrong_for_a_while_cost_nothing() throws SQLException {
    Credentials right = rabbit.credentials;
    outage(
        () -> {
          rabbit.credentials = new Credentials("guest", "expired");
          rabbit.cut();
        },
        "ACCESS_DENIED",
        () -> rabbit.credentials = right);
  }

  @Test
  void connections_cut_before_and_between_confirms_lose_nothing() throws SQLException {
    try (Load load = new Load(rabbit)) {
      for (int i = 0; i < 4; i++) {
        Cut cut =
            i % 2 == 0
                ? rabbit.proxy.cutBeforeReply(StreamMatcher.token("OracleEntry"))
                : rabbit.proxy.cutAfterBytes(Direction.TO_CLIENT, 1 + 13 * i);
        load.write();
        cut.awaitFired(Duration.ofSeconds(20));
      }
      load.assertDelivered();
    }
  }

  @Test
  void order_holds_when_the_broker_refuses_some_of_what_is_on_its_way() throws SQLException {
    rabbit.topology.run(channel -> channel.queueDelete(rabbit.topology.queue));
    rabbit.topology.declareQueue(
        rabbit.topology.queue, Map.of("x-max-length", 30, "x-overflow", "reject-publish"));
    rabbit.topology.bind(RabbitMqFixture.KEY);
    try (Load load = new Load(rabbit)) {
      load.write();
      load.assertDelivered();
    }
  }
}

package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.envelope.Address;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Checks, on a connection of its own, whether messages could be sent. */
record BrokerCheck(RabbitMqConfig config, BrokerState brokerState, ScheduledExecutorService clock) {
  List<Finding> findings(@Nullable String blocked) {
    List<Finding> findings = new ArrayList<>();
    try {
      BrokerConnection link = BrokerConnection.open(config, clock);
      try {
        check(link.connection(), findings);
      } finally {
        link.close();
      }
    } catch (IOException | TimeoutException | ExecutionException | RuntimeException e) {
      findings.add(Finding.problem(ConnectionFailures.reason(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      findings.add(Finding.problem(Reason.of(Reason.TIMEOUT, "the check was interrupted")));
    }
    if (blocked != null) {
      findings.add(Finding.problem(ConnectionFailures.blocked(blocked)));
    }
    findings.add(Finding.value("maxMessageSize", Long.toString(brokerState.maxMessageSize())));
    return List.copyOf(findings);
  }

  private void check(Connection connection, List<Finding> findings)
      throws IOException, TimeoutException, ExecutionException, InterruptedException {
    findings.add(
        Finding.value("version", String.valueOf(connection.getServerProperties().get("version"))));
    if (config.hasFixedExchange()) {
      ShutdownSignalException answer = publishInvalid(connection);
      if (ConnectionFailures.code(answer) != AMQP.PRECONDITION_FAILED) {
        findings.add(Finding.problem(ConnectionFailures.reason(answer)));
        return;
      }
    }
    if (config.isFixed() && lacksQueue(connection)) {
      findings.add(Finding.problem(BrokerState.noQueue()));
    }
  }

  /** With an exchange, the newest message's answer decides: AMQP cannot query bindings. */
  private boolean lacksQueue(Connection connection) throws IOException {
    return config.exchange() == null ? !hasQueue(connection) : brokerState.isQueueMissing();
  }

  /**
   * Publishes a message that the broker must refuse.
   *
   * <p>The broker first checks the exchange and the permission, and only then finds that the
   * expiration is not a number. It closes the channel either way, and names the reason.
   */
  private ShutdownSignalException publishInvalid(Connection connection)
      throws IOException, TimeoutException, ExecutionException, InterruptedException {
    CompletableFuture<ShutdownSignalException> answer = new CompletableFuture<>();
    Channel channel = connection.createChannel();
    channel.addShutdownListener(answer::complete);
    Address exchange = config.exchange();
    channel.basicPublish(
        exchange == null ? "" : exchange.template(),
        config.routingKey().template(),
        true,
        new AMQP.BasicProperties.Builder().expiration("never").build(),
        new byte[0]);
    return answer.get(config.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  private boolean hasQueue(Connection connection) throws IOException {
    try {
      connection.createChannel().queueDeclarePassive(config.routingKey().template());
      return true;
    } catch (IOException e) {
      if (ConnectionFailures.code(e) == AMQP.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }
}

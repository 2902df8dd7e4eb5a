package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Checks, on a connection of its own, whether messages can be received, or are lost unnoticed. */
record SourceCheck(RabbitMqSourceConfig config, DeliveryCounts deliveryCounts) {
  static final String SETTINGS = "settings of the queue";

  private static final int MANY_REPEATS = 5;

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    ScheduledThreadPoolExecutor clock =
        new ScheduledThreadPoolExecutor(1, Threads.named("posthorn-rabbitmq-clock"));
    try {
      BrokerConnection link = BrokerConnection.open(config, clock);
      try {
        check(link.connection(), findings);
      } finally {
        link.close();
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      findings.add(Finding.problem(ConnectionFailures.reason(e)));
    } finally {
      clock.shutdownNow();
    }
    return List.copyOf(findings);
  }

  private void check(Connection connection, List<Finding> findings)
      throws IOException, TimeoutException {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    findings.add(Finding.value("version", version));
    AMQP.Queue.DeclareOk queue = connection.createChannel().queueDeclarePassive(config.queue());
    findings.add(Finding.value("messages", Integer.toString(queue.getMessageCount())));
    findings.add(Finding.value("consumers", Integer.toString(queue.getConsumerCount())));
    consumeInvalid(connection, findings);
    Map<String, String> settings = settings(connection, findings);
    if (settings != null) {
      findings.addAll(new LossySettings(settings, version).findings());
    }
    if (queue.getConsumerCount() > 1
        && (settings == null || !"true".equals(settings.get("single-active-consumer")))) {
      findings.add(
          Finding.value(
              "ORDER",
              "this queue has %d consumers, so messages of one key may be handled at the same time and out of order. If order matters, declare the queue with x-single-active-consumer."
                  .formatted(queue.getConsumerCount())));
    }
    if (deliveryCounts.most() > 0) {
      findings.add(
          new Finding(
              deliveryCounts.most() >= MANY_REPEATS,
              "REPEATED",
              "the broker has delivered a message %d times: programs crash, or hold messages for longer than the broker's consumer timeout. A queue with a delivery limit removes such a message in the end."
                  .formatted(deliveryCounts.most() + 1)));
    }
  }

  /**
   * Consumes with an invalid argument.
   *
   * <p>The broker first checks the permission, and only then finds that the priority is not a
   * number. It closes the channel either way, and names the reason.
   */
  private void consumeInvalid(Connection connection, List<Finding> findings) throws IOException {
    Channel channel = connection.createChannel();
    try {
      channel.basicConsume(
          config.queue(),
          false,
          "",
          false,
          false,
          Map.of("x-priority", "none"),
          new DefaultConsumer(channel));
      channel.abort();
    } catch (IOException e) {
      if (ConnectionFailures.code(e) != AMQP.PRECONDITION_FAILED) {
        findings.add(Finding.problem(ConnectionFailures.reason(e)));
      }
    }
  }

  private @Nullable Map<String, String> settings(Connection connection, List<Finding> findings)
      throws IOException, TimeoutException {
    URI management = config.management();
    if (management != null) {
      try {
        return Management.settings(config, management);
      } catch (IOException e) {
        findings.add(
            Finding.problem(
                Reason.of("MANAGEMENT", "the queue's settings could not be requested: " + e)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    Map<String, String> declared = DeclaredArguments.of(connection, config.queue());
    findings.add(
        Finding.value(
            SETTINGS,
            declared == null
                ? "not checked: this program may not declare the queue, and no management URL is configured."
                : "checked only as far as AMQP shows them: policies are visible only with a management URL."));
    return declared;
  }
}

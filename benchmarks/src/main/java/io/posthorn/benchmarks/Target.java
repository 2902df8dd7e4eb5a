package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;

/** A real server to deliver to: through Posthorn's connector, or by its client alone. */
interface Target extends AutoCloseable {
  /** The one of this name. */
  static Target named(String name) {
    return switch (name) {
      case "kafka" -> new KafkaTarget();
      case "rabbitmq" -> new RabbitMqTarget();
      case "webhook" -> new WebhookTarget();
      default ->
          throw new BenchException(
              "there is no target '" + name + "'; there are kafka, rabbitmq and webhook");
    };
  }

  /** A new one; whoever asked closes it. */
  Connector connector();

  /** A new one; whoever asked closes it. */
  Client client();

  @Override
  void close();

  /** The server's own client, used as its makers want it, as safe as the connector. */
  interface Client extends AutoCloseable {
    /** Pipelined; calls back when the server has it. */
    void send(Message message, Runnable acknowledged);

    @Override
    void close();
  }
}

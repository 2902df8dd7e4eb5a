package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;

/** A real server to deliver to, through Posthorn's connector or by the server's client alone. */
interface Target extends AutoCloseable {
  /** Returns the target with this name. */
  static Target named(String name) {
    return switch (name) {
      case "kafka" -> new KafkaTarget();
      case "rabbitmq" -> new RabbitMqTarget();
      case "webhook" -> new WebhookTarget();
      default ->
          throw new BenchException(
              "there is no target '" + name + "': pass kafka, rabbitmq or webhook");
    };
  }

  /** Creates a connector, which the caller closes. */
  Connector connector();

  /** Creates a client, which the caller closes. */
  Client client();

  @Override
  void close();

  /**
   * The server's own client, used as its documentation recommends, and as safe as the connector.
   */
  interface Client extends AutoCloseable {
    /** Sends a message without waiting. Runs the callback when the server has acknowledged it. */
    void send(Message message, Runnable acknowledged);

    @Override
    void close();
  }
}

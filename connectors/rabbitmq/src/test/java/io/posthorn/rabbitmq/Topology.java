package io.posthorn.rabbitmq;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** One test's own exchange and queue, declared and read directly, past any proxy. */
final class Topology implements AutoCloseable {
  final String exchange = "x-" + UUID.randomUUID();
  final String queue = "q-" + UUID.randomUUID();
  private final int port;
  private final List<GetResponse> arrived = new ArrayList<>();
  private Connection connection;
  private Channel channel;

  interface Action<T> {
    T on(Channel channel) throws IOException;
  }

  Topology(int port) {
    this.port = port;
    declare();
  }

  /** May be called again: a killed broker may forget what was declared a moment before. */
  void declare() {
    declareExchange();
    declareQueue(queue, Map.of());
  }

  void declareExchange() {
    run(on -> on.exchangeDeclare(exchange, BuiltinExchangeType.DIRECT, true));
  }

  void deleteExchange() {
    run(on -> on.exchangeDelete(exchange));
  }

  void declareQueue(String name, Map<String, Object> arguments) {
    run(on -> on.queueDeclare(name, true, false, false, arguments));
  }

  void bind(String key) {
    bind(queue, key);
  }

  void bind(String name, String key) {
    run(on -> on.queueBind(name, exchange, key));
  }

  void unbind(String key) {
    run(on -> on.queueUnbind(queue, exchange, key));
  }

  /** Returns all messages in the queue so far; while the broker is down, those known by then. */
  synchronized List<GetResponse> arrived() {
    try {
      for (GetResponse next = run(on -> on.basicGet(queue, true));
          next != null;
          next = run(on -> on.basicGet(queue, true))) {
        arrived.add(next);
      }
    } catch (IllegalStateException away) {
      connection = null;
    }
    return List.copyOf(arrived);
  }

  synchronized <T> T run(Action<T> action) {
    try {
      if (connection == null || !connection.isOpen()) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setChannelRpcTimeout(20_000);
        factory.setAutomaticRecoveryEnabled(false);
        connection = factory.newConnection();
        channel = null;
      }
      if (channel == null || !channel.isOpen()) {
        channel = connection.createChannel();
      }
      return action.on(channel);
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    run(on -> on.queueDelete(queue));
    deleteExchange();
    connection.abort();
  }
}

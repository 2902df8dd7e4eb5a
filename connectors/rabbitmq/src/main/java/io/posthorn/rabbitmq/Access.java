package io.posthorn.rabbitmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** How to connect to a broker, for sending or receiving. */
interface Access {
  /** The nodes of one cluster; the first that answers is used. */
  List<RabbitMqConfig.Broker> brokers();

  String virtualHost();

  /** Asked each time a connection is opened. */
  Supplier<Credentials> credentials();

  /** Trust store and client certificate; null means an unencrypted connection. */
  @Nullable SSLContext tls();

  Duration connectTimeout();

  /** Reads a comma-separated list of {@code host} or {@code host:port}. */
  static List<RabbitMqConfig.Broker> brokers(String texts, List<String> problems) {
    List<RabbitMqConfig.Broker> brokers = new ArrayList<>();
    for (String text : texts.split(",", -1)) {
      if (text.contains("@")) {
        // The client's parser would log the text, and with it the password, if it cannot read it.
        problems.add("brokers: contains a user; set credentials instead");
        continue;
      }
      try {
        com.rabbitmq.client.Address node = com.rabbitmq.client.Address.parseAddress(text.strip());
        brokers.add(new RabbitMqConfig.Broker(node.getHost(), Math.max(0, node.getPort())));
        if (node.getHost().isEmpty()) {
          throw new IllegalArgumentException(text);
        }
      } catch (IllegalArgumentException e) {
        problems.add("brokers: '" + text + "' is neither host nor host:port");
      }
    }
    return List.copyOf(brokers);
  }
}

package io.posthorn.rabbitmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** How to get to a broker, be it to send or to receive. */
interface Access {
  /** Of one cluster; the first that answers is used. */
  List<RabbitMqConfig.Broker> brokers();

  String virtualHost();

  /** Asked for each connection. */
  Supplier<Credentials> credentials();

  /** Trust store and client certificate; none = not encrypted. */
  @Nullable SSLContext tls();

  Duration connectTimeout();

  /** Reads {@code host} or {@code host:port}, several separated by commas. */
  static List<RabbitMqConfig.Broker> brokers(String texts, List<String> problems) {
    List<RabbitMqConfig.Broker> brokers = new ArrayList<>();
    for (String text : texts.split(",", -1)) {
      if (text.contains("@")) {
        // The client's parser would log what it cannot read.
        problems.add("brokers: there is a user in it; use credentials");
        continue;
      }
      try {
        com.rabbitmq.client.Address node = com.rabbitmq.client.Address.parseAddress(text.strip());
        brokers.add(new RabbitMqConfig.Broker(node.getHost(), Math.max(0, node.getPort())));
        if (node.getHost().isEmpty()) {
          throw new IllegalArgumentException(text);
        }
      } catch (IllegalArgumentException e) {
        problems.add("brokers: '" + text + "' is not a host, or host:port");
      }
    }
    return List.copyOf(brokers);
  }
}

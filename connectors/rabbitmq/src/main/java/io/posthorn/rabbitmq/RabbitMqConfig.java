package io.posthorn.rabbitmq;

import io.posthorn.envelope.Address;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to reach one exchange.
 *
 * @param brokers the nodes of one cluster; the first that answers is used
 * @param virtualHost the exchange's virtual host
 * @param exchange a name or a template; null means the default exchange, where the routing key is
 *     the name of a queue
 * @param routingKey a key or a template
 * @param envelope how messages are wrapped
 * @param credentials asked each time a connection is opened
 * @param tls trust store and client certificate; null means an unencrypted connection
 * @param timeout for the confirm of a message; must be longer than connectTimeout and shorter than
 *     the destination's send timeout
 * @param connectTimeout for opening a connection, within timeout
 * @param maxMessageSize in bytes; a message with a larger body is rejected without being sent
 */
public record RabbitMqConfig(
    List<Broker> brokers,
    String virtualHost,
    @Nullable Address exchange,
    Address routingKey,
    EnvelopeFormat envelope,
    Supplier<Credentials> credentials,
    @Nullable SSLContext tls,
    Duration timeout,
    Duration connectTimeout,
    int maxMessageSize)
    implements Access {

  /** One node of a cluster; port 0 stands for the default port. */
  public record Broker(String host, int port) {}

  /**
   * Starts a configuration; {@link Builder#build} reports all problems at once.
   *
   * @param brokers {@code host} or {@code host:port}, separated by commas
   */
  public static Builder to(String brokers, EnvelopeFormat envelope) {
    return new Builder(brokers, envelope);
  }

  /**
   * Returns whether all messages go to one address. If it is missing, the destination is at fault.
   */
  boolean isFixed() {
    return hasFixedExchange() && routingKey.isFixed();
  }

  boolean hasFixedExchange() {
    return exchange == null || exchange.isFixed();
  }

  /** Collects the settings. Routing key, credentials and encryption have no default. */
  public static final class Builder extends AccessBuilder<Builder> {
    private final EnvelopeFormat envelope;
    private @Nullable String exchange;
    private String routingKey = "";
    private Duration timeout = Duration.ofSeconds(8);
    private int maxMessageSize = 16 << 20;

    private Builder(String brokers, EnvelopeFormat envelope) {
      super(brokers);
      this.envelope = envelope;
    }

    @Override
    Builder self() {
      return this;
    }

    /** A name or a template; default: the default exchange. The exchange must exist already. */
    public Builder exchange(String nameOrTemplate) {
      this.exchange = nameOrTemplate;
      return this;
    }

    /** A key or a template, for example {@code orders.{type}}. */
    public Builder routingKey(String keyOrTemplate) {
      this.routingKey = keyOrTemplate;
      return this;
    }

    /**
     * The time limit for the confirm of a message; default 8 s. The destination's send timeout must
     * be longer.
     */
    public Builder timeout(Duration most) {
      this.timeout = most;
      return this;
    }

    /** The largest body in bytes; default 16 MiB, RabbitMQ 4's own default. */
    public Builder maxMessageSize(int bytes) {
      this.maxMessageSize = bytes;
      return this;
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public RabbitMqConfig build() {
      List<Broker> nodes = nodes();
      problems.addAll(prefixed("routingKey", routingKey));
      if (exchange != null) {
        problems.addAll(prefixed("exchange", exchange));
      }
      checkNumbers();
      Supplier<Credentials> credentials = checked("RabbitMQ");
      return new RabbitMqConfig(
          nodes,
          virtualHost,
          exchange == null ? null : Address.of(exchange),
          Address.of(routingKey),
          envelope,
          credentials,
          tls,
          timeout,
          connectTimeout,
          maxMessageSize);
    }

    private void checkNumbers() {
      if (timeout.compareTo(connectTimeout) <= 0) {
        problems.add(
            "timeout is %s, but must be longer than connectTimeout (%s)"
                .formatted(timeout, connectTimeout));
      }
      if (maxMessageSize < 1) {
        problems.add("maxMessageSize is " + maxMessageSize + ", but at least 1 is needed");
      }
    }

    private static List<String> prefixed(String name, String template) {
      return Address.problems(template).stream().map(problem -> name + ": " + problem).toList();
    }
  }
}

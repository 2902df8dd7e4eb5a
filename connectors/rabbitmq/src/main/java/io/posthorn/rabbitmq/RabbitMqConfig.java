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
 * @param brokers of one cluster; the first that answers is used
 * @param virtualHost of the exchange
 * @param exchange by name or by template; none = the default exchange, where the routing key is the
 *     name of a queue
 * @param routingKey by name or by template
 * @param envelope how messages are wrapped
 * @param credentials asked for each connection
 * @param tls trust store and client certificate; none = not encrypted
 * @param timeout for the confirm of a message; must be longer than connectTimeout and shorter than
 *     the destination's send timeout
 * @param connectTimeout for opening a connection, within it
 * @param maxMessageSize larger bodies are rejected before they are sent, in bytes
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

  /** One node of a cluster; port 0 stands for the usual one. */
  public record Broker(String host, int port) {}

  /**
   * Starts a configuration; {@link Builder#build} tells all that is wrong with it.
   *
   * @param brokers {@code host} or {@code host:port}, several separated by commas
   */
  public static Builder to(String brokers, EnvelopeFormat envelope) {
    return new Builder(brokers, envelope);
  }

  /** Whether all messages go to the same place. If it is missing, the destination is at fault. */
  boolean isFixed() {
    return hasFixedExchange() && routingKey.isFixed();
  }

  boolean hasFixedExchange() {
    return exchange == null || exchange.isFixed();
  }

  /** Collects the choices. Routing key, credentials, and whether to encrypt have no default. */
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

    /** By name or by template; without it, the default exchange. Never declared, it must exist. */
    public Builder exchange(String nameOrTemplate) {
      this.exchange = nameOrTemplate;
      return this;
    }

    /** By name or by template, for example {@code orders.{type}}. */
    public Builder routingKey(String keyOrTemplate) {
      this.routingKey = keyOrTemplate;
      return this;
    }

    /** For the confirm of a message; default 8 s. The destination's send timeout must be longer. */
    public Builder timeout(Duration most) {
      this.timeout = most;
      return this;
    }

    /** In bytes; default 16 MiB, as RabbitMQ 4 has it. */
    public Builder maxMessageSize(int bytes) {
      this.maxMessageSize = bytes;
      return this;
    }

    /** Throws with all problems at once. */
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
            "timeout is %s, more than connectTimeout (%s) is needed"
                .formatted(timeout, connectTimeout));
      }
      if (maxMessageSize < 1) {
        problems.add("maxMessageSize is " + maxMessageSize + ", at least 1 is needed");
      }
    }

    private static List<String> prefixed(String name, String template) {
      return Address.problems(template).stream().map(problem -> name + ": " + problem).toList();
    }
  }
}

package io.posthorn.rabbitmq;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.Address;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.ArrayList;
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
 * @param credentials asked for each connection
 * @param tls trust store and client certificate; none = not encrypted
 * @param timeout for the confirm of a message; must be shorter than the destination's send timeout
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
  public static final class Builder {
    private final String brokers;
    private final EnvelopeFormat envelope;
    private final List<String> problems = new ArrayList<>();
    private String virtualHost = "/";
    private @Nullable String exchange;
    private String routingKey = "";
    private @Nullable Supplier<Credentials> credentials;
    private @Nullable SSLContext tls;
    private boolean unencrypted;
    private Duration timeout = Duration.ofSeconds(8);
    private Duration connectTimeout = Duration.ofSeconds(3);
    private int maxMessageSize = 16 << 20;

    private Builder(String brokers, EnvelopeFormat envelope) {
      this.brokers = brokers;
      this.envelope = envelope;
    }

    /** Default {@code /}. */
    public Builder virtualHost(String name) {
      this.virtualHost = name;
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

    /** Asked for each connection, so they can change while the program runs. */
    public Builder credentials(Supplier<Credentials> current) {
      this.credentials = current;
      return this;
    }

    /** Whom to trust, and the certificate to show. The broker's host name is verified. */
    public Builder tls(SSLContext yours) {
      this.tls = yours;
      return this;
    }

    /** Says on purpose that messages and password can be read on their way. */
    public Builder unencrypted() {
      this.unencrypted = true;
      return this;
    }

    /** For the confirm of a message; default 8 s. The destination's send timeout must be longer. */
    public Builder timeout(Duration most) {
      this.timeout = most;
      return this;
    }

    /** For opening a connection; default 3 s. */
    public Builder connectTimeout(Duration most) {
      this.connectTimeout = most;
      return this;
    }

    /** In bytes; default 16 MiB, as RabbitMQ 4 has it. */
    public Builder maxMessageSize(int bytes) {
      this.maxMessageSize = bytes;
      return this;
    }

    /** Throws with all problems at once. */
    public RabbitMqConfig build() {
      List<Broker> nodes = Access.brokers(brokers, problems);
      problems.addAll(prefixed("routingKey", routingKey));
      if (exchange != null) {
        problems.addAll(prefixed("exchange", exchange));
      }
      if (virtualHost.isEmpty()) {
        problems.add("virtualHost is empty; the usual one is /");
      }
      if (unencrypted == (tls != null)) {
        problems.add("give either tls or unencrypted");
      }
      checkNumbers();
      if (credentials == null) {
        problems.add("there are no credentials");
      }
      if (!problems.isEmpty() || credentials == null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "RabbitMQ was not configured: " + String.join("; ", problems) + ".");
      }
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
      if (connectTimeout.isNegative() || connectTimeout.isZero()) {
        problems.add("connectTimeout is " + connectTimeout + ", more is needed");
      }
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

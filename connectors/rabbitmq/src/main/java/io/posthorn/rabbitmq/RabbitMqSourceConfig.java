package io.posthorn.rabbitmq;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeReader;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to receive from one queue.
 *
 * @param brokers of one cluster; the first that answers is used
 * @param queue must exist; it is never declared
 * @param credentials asked for each connection
 * @param tls trust store and client certificate; none = not encrypted
 * @param prefetch the most messages that a feed holds, polled or waiting to be
 * @param management of the management plugin, for checks only; none = policies cannot be looked at
 */
public record RabbitMqSourceConfig(
    List<RabbitMqConfig.Broker> brokers,
    String virtualHost,
    String queue,
    EnvelopeReader reader,
    Supplier<Credentials> credentials,
    @Nullable SSLContext tls,
    Duration connectTimeout,
    int prefetch,
    @Nullable URI management)
    implements Access {

  /**
   * Starts a configuration; {@link Builder#build} tells all that is wrong with it.
   *
   * @param brokers {@code host} or {@code host:port}, several separated by commas
   */
  public static Builder from(String brokers, String queue, EnvelopeReader reader) {
    return new Builder(brokers, queue, reader);
  }

  /** Collects the choices. Credentials, and whether to encrypt, have no default. */
  public static final class Builder {
    private final String brokers;
    private final String queue;
    private final EnvelopeReader reader;
    private final List<String> problems = new ArrayList<>();
    private String virtualHost = "/";
    private @Nullable Supplier<Credentials> credentials;
    private @Nullable SSLContext tls;
    private boolean unencrypted;
    private Duration connectTimeout = Duration.ofSeconds(3);
    private int prefetch = 250;
    private @Nullable URI management;

    private Builder(String brokers, String queue, EnvelopeReader reader) {
      this.brokers = brokers;
      this.queue = queue;
      this.reader = reader;
    }

    /** Default {@code /}. */
    public Builder virtualHost(String name) {
      this.virtualHost = name;
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

    /** For opening a connection, and for one question to the broker; default 3 s. */
    public Builder connectTimeout(Duration most) {
      this.connectTimeout = most;
      return this;
    }

    /** The most messages that a feed holds, polled or waiting to be; default 250. */
    public Builder prefetch(int most) {
      this.prefetch = most;
      return this;
    }

    /** Where the management plugin listens, for example {@code https://rabbit.example:15671}. */
    public Builder management(String url) {
      try {
        this.management = URI.create(url);
      } catch (IllegalArgumentException e) {
        problems.add("management is no URL");
      }
      return this;
    }

    /** Throws with all problems at once. */
    public RabbitMqSourceConfig build() {
      List<RabbitMqConfig.Broker> nodes = Access.brokers(brokers, problems);
      if (queue.isBlank()) {
        problems.add("queue is empty");
      }
      if (virtualHost.isEmpty()) {
        problems.add("virtualHost is empty; the usual one is /");
      }
      if (unencrypted == (tls != null)) {
        problems.add("give either tls or unencrypted");
      }
      if (connectTimeout.isNegative() || connectTimeout.isZero()) {
        problems.add("connectTimeout is " + connectTimeout + ", more is needed");
      }
      if (prefetch < 1 || prefetch > 65_535) {
        problems.add("prefetch is " + prefetch + ", 1 to 65535 is possible");
      }
      if (management != null && !String.valueOf(management.getScheme()).matches("https?")) {
        problems.add("management does not begin with https or http");
      }
      if (management != null && management.getUserInfo() != null) {
        problems.add("management has a user in it; the credentials are used there too");
      }
      if (credentials == null) {
        problems.add("there are no credentials");
      }
      if (!problems.isEmpty() || credentials == null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "the RabbitMQ source was not configured: " + String.join("; ", problems) + ".");
      }
      return new RabbitMqSourceConfig(
          nodes,
          virtualHost,
          queue,
          reader,
          credentials,
          tls,
          connectTimeout,
          prefetch,
          management);
    }
  }
}

package io.posthorn.rabbitmq;

import io.posthorn.envelope.EnvelopeReader;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to receive from one queue.
 *
 * @param brokers the nodes of one cluster; the first that answers is used
 * @param virtualHost the queue's virtual host; default {@code /}
 * @param queue must exist; it is never declared
 * @param reader turns received bodies and headers into messages
 * @param credentials asked each time a connection is opened
 * @param tls trust store and client certificate; null means an unencrypted connection
 * @param connectTimeout for opening a connection, and for one request to the broker; default 3 s
 * @param prefetch the most messages that a feed holds, polled or waiting to be polled
 * @param management the management plugin's URL, used by checks only; null means that checks cannot
 *     see policies
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
   * Starts a configuration; {@link Builder#build} reports all problems at once.
   *
   * @param brokers {@code host} or {@code host:port}, separated by commas
   */
  public static Builder from(String brokers, String queue, EnvelopeReader reader) {
    return new Builder(brokers, queue, reader);
  }

  /** Collects the settings. Credentials and encryption have no default. */
  public static final class Builder extends AccessBuilder<Builder> {
    private final String queue;
    private final EnvelopeReader reader;
    private int prefetch = 250;
    private @Nullable URI management;

    private Builder(String brokers, String queue, EnvelopeReader reader) {
      super(brokers);
      this.queue = queue;
      this.reader = reader;
    }

    @Override
    Builder self() {
      return this;
    }

    /** The most messages that a feed holds, polled or waiting to be polled; default 250. */
    public Builder prefetch(int most) {
      this.prefetch = most;
      return this;
    }

    /** The management plugin's URL, for example {@code https://rabbit.example:15671}. */
    public Builder management(String url) {
      try {
        this.management = URI.create(url);
      } catch (IllegalArgumentException e) {
        problems.add("management is not a URL");
      }
      return this;
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public RabbitMqSourceConfig build() {
      List<RabbitMqConfig.Broker> nodes = nodes();
      if (queue.isBlank()) {
        problems.add("queue is empty");
      }
      if (prefetch < 1 || prefetch > 65_535) {
        problems.add("prefetch is " + prefetch + ", but must be 1 to 65535");
      }
      if (management != null && !String.valueOf(management.getScheme()).matches("https?")) {
        problems.add("management does not begin with https or http");
      }
      if (management != null && management.getUserInfo() != null) {
        problems.add(
            "management contains a user; leave it out, since the credentials are used there too");
      }
      Supplier<Credentials> credentials = checked("the RabbitMQ source");
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

package io.posthorn.rabbitmq;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Collects how to connect to a broker. Credentials and the choice of encryption have no default.
 *
 * @param <B> the builder of a whole configuration
 */
abstract class AccessBuilder<B extends AccessBuilder<B>> {
  final List<String> problems = new ArrayList<>();
  String virtualHost = "/";
  @Nullable SSLContext tls;
  Duration connectTimeout = Duration.ofSeconds(3);
  private final String brokers;
  private @Nullable Supplier<Credentials> credentials;
  private boolean unencrypted;

  AccessBuilder(String brokers) {
    this.brokers = brokers;
  }

  abstract B self();

  /** The virtual host; default {@code /}. */
  public B virtualHost(String name) {
    this.virtualHost = name;
    return self();
  }

  /** Asked each time a connection is opened, so that they can change while the program runs. */
  public B credentials(Supplier<Credentials> current) {
    this.credentials = current;
    return self();
  }

  /** The certificates to trust and the one to present. The broker's host name is verified. */
  public B tls(SSLContext context) {
    this.tls = context;
    return self();
  }

  /** Accepts explicitly that messages and password can be read on the network. */
  public B unencrypted() {
    this.unencrypted = true;
    return self();
  }

  /** The time limit for opening a connection, and for one request to the broker; default 3 s. */
  public B connectTimeout(Duration most) {
    this.connectTimeout = most;
    return self();
  }

  /** Returns the brokers that could be parsed, and reports the others as problems. */
  final List<RabbitMqConfig.Broker> nodes() {
    return Access.brokers(brokers, problems);
  }

  /** Throws an exception that lists all problems, including those found before this call. */
  final Supplier<Credentials> checked(String what) {
    if (virtualHost.isEmpty()) {
      problems.add("virtualHost is empty; the default is /");
    }
    if (unencrypted == (tls != null)) {
      problems.add("set either tls or unencrypted");
    }
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      problems.add("connectTimeout is " + connectTimeout + ", but must be more than 0");
    }
    if (credentials == null) {
      problems.add("credentials are missing");
    }
    if (!problems.isEmpty() || credentials == null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          what + " was not configured: " + String.join("; ", problems) + ".");
    }
    return credentials;
  }
}

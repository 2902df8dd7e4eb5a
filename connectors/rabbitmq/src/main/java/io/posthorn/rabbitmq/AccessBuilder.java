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
 * Collects how to get to a broker. Credentials, and whether to encrypt, have no default.
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

  /** Default {@code /}. */
  public B virtualHost(String name) {
    this.virtualHost = name;
    return self();
  }

  /** Asked for each connection, so they can change while the program runs. */
  public B credentials(Supplier<Credentials> current) {
    this.credentials = current;
    return self();
  }

  /** Whom to trust, and the certificate to show. The broker's host name is verified. */
  public B tls(SSLContext yours) {
    this.tls = yours;
    return self();
  }

  /** Says on purpose that messages and password can be read on their way. */
  public B unencrypted() {
    this.unencrypted = true;
    return self();
  }

  /** For opening a connection, and for one question to the broker; default 3 s. */
  public B connectTimeout(Duration most) {
    this.connectTimeout = most;
    return self();
  }

  /** Those that can be read; the others are problems. */
  final List<RabbitMqConfig.Broker> nodes() {
    return Access.brokers(brokers, problems);
  }

  /** Throws with all problems at once, those that were found before included. */
  final Supplier<Credentials> checked(String what) {
    if (virtualHost.isEmpty()) {
      problems.add("virtualHost is empty; the usual one is /");
    }
    if (unencrypted == (tls != null)) {
      problems.add("give either tls or unencrypted");
    }
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      problems.add("connectTimeout is " + connectTimeout + ", more is needed");
    }
    if (credentials == null) {
      problems.add("there are no credentials");
    }
    if (!problems.isEmpty() || credentials == null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          what + " was not configured: " + String.join("; ", problems) + ".");
    }
    return credentials;
  }
}

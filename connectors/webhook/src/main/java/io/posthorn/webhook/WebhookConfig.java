package io.posthorn.webhook;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.Address;
import io.posthorn.envelope.EnvelopeFormat;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to reach one endpoint.
 *
 * @param url of the endpoint; path and query may be a template, see {@link Address}
 * @param envelope how messages are wrapped
 * @param signingKeys asked for each message; it is signed with all of them. Empty = not signed
 * @param authorization value of the header of that name, asked for each message
 * @param tls trust store and client certificate; none = as the JVM has them
 * @param timeout for the whole exchange; must be shorter than the destination's send timeout
 * @param connectTimeout for connecting, within it
 * @param maxConnections also the most requests on their way
 * @param plainHttp http is allowed too
 * @param allowedNetworks beside public ones, for example {@code 10.1.0.0/16}
 * @param longestRetryAfter more than this is not waited, whatever the receiver asks
 */
public record WebhookConfig(
    Address url,
    EnvelopeFormat envelope,
    Supplier<List<SigningKey>> signingKeys,
    @Nullable Supplier<String> authorization,
    @Nullable SSLContext tls,
    Duration timeout,
    Duration connectTimeout,
    int maxConnections,
    boolean plainHttp,
    List<String> allowedNetworks,
    Duration longestRetryAfter) {

  /** Starts a configuration; {@link Builder#build} tells all that is wrong with it. */
  public static Builder to(String url, EnvelopeFormat envelope) {
    return new Builder(url, envelope);
  }

  /** Collects the choices; the signing keys are the only one without a default. */
  public static final class Builder {
    private final String url;
    private final EnvelopeFormat envelope;
    private final List<String> problems = new ArrayList<>();
    private @Nullable Supplier<List<SigningKey>> signingKeys;
    private @Nullable Supplier<String> authorization;
    private @Nullable SSLContext tls;
    private Duration timeout = Duration.ofSeconds(8);
    private Duration connectTimeout = Duration.ofSeconds(3);
    private int maxConnections = 50;
    private boolean plainHttp;
    private List<String> allowedNetworks = List.of();
    private Duration longestRetryAfter = Duration.ofHours(1);

    private Builder(String url, EnvelopeFormat envelope) {
      this.url = url;
      this.envelope = envelope;
    }

    /** Signs with each of these secrets ({@code whsec_…}); the newest first. */
    public Builder signedWith(String... secrets) {
      try {
        List<SigningKey> keys = List.of(secrets).stream().map(SigningKey::of).toList();
        return signedWith(() -> keys);
      } catch (PosthornException e) {
        problems.add("signedWith: " + e.getMessage());
        return unsigned();
      }
    }

    /** The same, asked for each message: keys can change while the program runs. */
    public Builder signedWith(Supplier<List<SigningKey>> keys) {
      this.signingKeys = keys;
      return this;
    }

    /** Says on purpose that the receiver cannot tell who sends. */
    public Builder unsigned() {
      return signedWith(List::of);
    }

    /** Sent as {@code Authorization: Bearer …}; asked for each message. Default: none. */
    public Builder bearer(Supplier<String> token) {
      this.authorization = () -> "Bearer " + token.get();
      return this;
    }

    /** Basic authentication; the password is asked for each message. Default: none. */
    public Builder basic(String user, Supplier<String> password) {
      this.authorization =
          () -> {
            byte[] pair = (user + ":" + password.get()).getBytes(StandardCharsets.UTF_8);
            return "Basic " + Base64.getEncoder().encodeToString(pair);
          };
      return this;
    }

    /** Whom to trust, and the certificate to show. */
    public Builder tls(SSLContext yours) {
      this.tls = yours;
      return this;
    }

    /** For the whole exchange; default 8 s. The destination's send timeout must be longer. */
    public Builder timeout(Duration whole) {
      this.timeout = whole;
      return this;
    }

    /** Default 3 s. */
    public Builder connectTimeout(Duration most) {
      this.connectTimeout = most;
      return this;
    }

    /** Most connections, and requests on their way; default 50. */
    public Builder maxConnections(int most) {
      this.maxConnections = most;
      return this;
    }

    /** Allows http; default: https only. */
    public Builder plainHttp() {
      this.plainHttp = true;
      return this;
    }

    /** Allows these networks beside the public ones, for example {@code 10.1.0.0/16}. */
    public Builder allowNetworks(String... cidrs) {
      this.allowedNetworks = List.of(cidrs);
      return this;
    }

    /** The most that a receiver's Retry-After counts; default 1 h. */
    public Builder longestRetryAfter(Duration most) {
      this.longestRetryAfter = most;
      return this;
    }

    /** Throws with all problems at once. */
    public WebhookConfig build() {
      checkUrl();
      checkTimes();
      if (maxConnections < 1) {
        problems.add("maxConnections is " + maxConnections + ", at least 1 is needed");
      }
      for (String cidr : allowedNetworks) {
        try {
          Network.of(cidr);
        } catch (IllegalArgumentException e) {
          problems.add("allowNetworks: '" + cidr + "' is not a network such as 10.1.0.0/16");
        }
      }
      if (signingKeys == null) {
        problems.add("there is no signing key: give signedWith, or say unsigned");
      }
      if (!problems.isEmpty() || signingKeys == null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "the webhook was not configured: " + String.join("; ", problems) + ".");
      }
      return new WebhookConfig(
          Address.of(url),
          envelope,
          signingKeys,
          authorization,
          tls,
          timeout,
          connectTimeout,
          maxConnections,
          plainHttp,
          allowedNetworks,
          longestRetryAfter);
    }

    private void checkUrl() {
      problems.addAll(Address.problems(url).stream().map(problem -> "url: " + problem).toList());
      URI uri = example();
      if (uri == null || uri.getHost() == null || !uri.isAbsolute()) {
        problems.add("url is not an address such as https://example.org/hooks");
        return;
      }
      if (!uri.getScheme().equals("https") && !(plainHttp && uri.getScheme().equals("http"))) {
        problems.add("url begins with " + uri.getScheme() + ", and only https is allowed");
      }
      if (url.matches("[^/]*//[^/?]*\\{.*")) {
        problems.add("url has a template in the host; only path and query can have one");
      }
      if (uri.getUserInfo() != null) {
        problems.add("url has a user in it; use basic");
      }
      if (uri.getFragment() != null) {
        problems.add("url has a fragment, which is never sent");
      }
    }

    private @Nullable URI example() {
      try {
        return URI.create(url.replaceAll("\\{[^}]*}", "x"));
      } catch (IllegalArgumentException e) {
        return null;
      }
    }

    private void checkTimes() {
      if (timeout.isNegative() || timeout.isZero()) {
        problems.add("timeout is " + timeout + ", more is needed");
      }
      if (connectTimeout.isNegative() || connectTimeout.isZero()) {
        problems.add("connectTimeout is " + connectTimeout + ", more is needed");
      }
      if (longestRetryAfter.isNegative()) {
        problems.add("longestRetryAfter is " + longestRetryAfter + ", at least 0 is needed");
      }
    }
  }
}

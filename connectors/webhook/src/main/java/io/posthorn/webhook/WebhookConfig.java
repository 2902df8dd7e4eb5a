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
 * @param url the endpoint's address; path and query may be a template, see {@link Address}
 * @param envelope how messages are wrapped
 * @param signingKeys asked for each message, which is signed with all of them; empty means unsigned
 * @param authorization value of the header of that name, asked for each message
 * @param tls trust store and client certificate; null means the JVM's
 * @param timeout for the whole exchange; must be shorter than the destination's send timeout
 * @param connectTimeout for connecting, within timeout
 * @param maxConnections also the most requests in flight
 * @param plainHttp whether http is allowed too
 * @param allowedNetworks allowed in addition to public ones, for example {@code 10.1.0.0/16}
 * @param longestRetryAfter the longest pause that a receiver's Retry-After can ask for
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

  /** Starts a configuration; {@link Builder#build} reports all problems at once. */
  public static Builder to(String url, EnvelopeFormat envelope) {
    return new Builder(url, envelope);
  }

  /** Collects the settings; only the choice of signing keys has no default. */
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

    /** Signs with each of these secrets ({@code whsec_…}); newest first. */
    public Builder signedWith(String... secrets) {
      try {
        List<SigningKey> keys = List.of(secrets).stream().map(SigningKey::of).toList();
        return signedWith(() -> keys);
      } catch (PosthornException e) {
        problems.add("signedWith: " + e.getMessage());
        return unsigned();
      }
    }

    /** Signs with these keys; asked for each message, so that they can change at run time. */
    public Builder signedWith(Supplier<List<SigningKey>> keys) {
      this.signingKeys = keys;
      return this;
    }

    /** Accepts explicitly that the receiver cannot verify the sender. */
    public Builder unsigned() {
      return signedWith(List::of);
    }

    /**
     * Sends {@code Authorization: Bearer …}; the token is asked for each message. Default: none.
     */
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

    /** The certificates to trust and the one to present. */
    public Builder tls(SSLContext context) {
      this.tls = context;
      return this;
    }

    /**
     * The time limit for the whole exchange; default 8 s. The destination's send timeout must be
     * longer.
     */
    public Builder timeout(Duration whole) {
      this.timeout = whole;
      return this;
    }

    /** The time limit for connecting; default 3 s. */
    public Builder connectTimeout(Duration most) {
      this.connectTimeout = most;
      return this;
    }

    /** The most connections, and so the most requests in flight; default 50. */
    public Builder maxConnections(int most) {
      this.maxConnections = most;
      return this;
    }

    /** Allows http; default: https only. */
    public Builder plainHttp() {
      this.plainHttp = true;
      return this;
    }

    /** Allows these networks in addition to public ones, for example {@code 10.1.0.0/16}. */
    public Builder allowNetworks(String... cidrs) {
      this.allowedNetworks = List.of(cidrs);
      return this;
    }

    /** The longest pause that a receiver's Retry-After can ask for; default 1 h. */
    public Builder longestRetryAfter(Duration most) {
      this.longestRetryAfter = most;
      return this;
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public WebhookConfig build() {
      checkUrl();
      checkTimes();
      if (maxConnections < 1) {
        problems.add("maxConnections is " + maxConnections + ", but at least 1 is needed");
      }
      for (String cidr : allowedNetworks) {
        try {
          Network.of(cidr);
        } catch (IllegalArgumentException e) {
          problems.add("allowNetworks: '" + cidr + "' is not a network such as 10.1.0.0/16");
        }
      }
      if (signingKeys == null) {
        problems.add("the signing key is missing: set signedWith, or set unsigned");
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
        problems.add(
            "url begins with %s, but only https is allowed%s"
                .formatted(
                    uri.getScheme(),
                    uri.getScheme().equals("http") ? "; to allow http too, set plainHttp" : ""));
      }
      if (url.matches("[^/]*//[^/?]*\\{.*")) {
        problems.add("url has a template in the host; only path and query can have one");
      }
      if (uri.getUserInfo() != null) {
        problems.add("url contains a user; use basic instead");
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
        problems.add("timeout is " + timeout + ", but must be more than 0");
      }
      if (connectTimeout.isNegative() || connectTimeout.isZero()) {
        problems.add("connectTimeout is " + connectTimeout + ", but must be more than 0");
      }
      if (longestRetryAfter.isNegative()) {
        problems.add("longestRetryAfter is " + longestRetryAfter + ", but at least 0 is needed");
      }
    }
  }
}

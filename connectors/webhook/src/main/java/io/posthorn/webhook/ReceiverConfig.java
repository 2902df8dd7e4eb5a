package io.posthorn.webhook;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How to receive webhooks at one endpoint.
 *
 * @param name the endpoint's name, which is the sender of its messages; ids are unique within it
 * @param reader turns received requests into messages
 * @param signingKeys any of these keys may have signed a request; asked for each request. Null
 *     means unsigned
 * @param tolerance the largest difference between the time of the signature and now, in either
 *     direction
 * @param maxBytes the largest body; default 1 MiB
 * @param contentTypes the accepted content types; empty means all
 * @param keptHeaders request headers to keep, in addition to those of correlation and tracing
 */
public record ReceiverConfig(
    String name,
    EnvelopeReader reader,
    @Nullable Supplier<List<SigningKey>> signingKeys,
    Duration tolerance,
    int maxBytes,
    Set<String> contentTypes,
    Set<String> keptHeaders) {

  /**
   * Starts a configuration; {@link Builder#build} reports all problems at once.
   *
   * @param name the endpoint's name, one for each sender and its keys, for example {@code payments}
   */
  public static Builder at(String name, EnvelopeReader reader) {
    return new Builder(name, reader);
  }

  /** Collects the settings. Whether requests are signed has no default. */
  public static final class Builder {
    private final String name;
    private final EnvelopeReader reader;
    private final List<String> problems = new ArrayList<>();
    private @Nullable Supplier<List<SigningKey>> signingKeys;
    private boolean unsigned;
    private Duration tolerance = Duration.ofMinutes(5);
    private int maxBytes = 1 << 20;
    private Set<String> contentTypes = Set.of();
    private Set<String> keptHeaders = Set.of();

    private Builder(String name, EnvelopeReader reader) {
      this.name = name;
      this.reader = reader;
    }

    /**
     * Accepts a request signed with any of these secrets ({@code whsec_…}), such as an old and a
     * new one.
     */
    public Builder signedWith(String... secrets) {
      try {
        List<SigningKey> keys = Stream.of(secrets).map(SigningKey::of).toList();
        return signedWith(() -> keys);
      } catch (PosthornException e) {
        problems.add("signedWith: " + e.getMessage());
        return unsigned();
      }
    }

    /** Accepts any of these keys; asked for each request, so that they can change at run time. */
    public Builder signedWith(Supplier<List<SigningKey>> keys) {
      this.signingKeys = keys;
      return this;
    }

    /** Accepts explicitly that anyone may send, or that something else authenticates the sender. */
    public Builder unsigned() {
      this.unsigned = true;
      return this;
    }

    /** The largest difference between the signature's time and now, either way; default 5 min. */
    public Builder tolerance(Duration most) {
      this.tolerance = most;
      return this;
    }

    /** The largest body; default 1 MiB. */
    public Builder maxBytes(int most) {
      this.maxBytes = most;
      return this;
    }

    /** Accepts only these content types, for example {@code application/json}; default: all. */
    public Builder contentTypes(String... types) {
      this.contentTypes = lower(types);
      return this;
    }

    /** Keeps these headers with the message. All others may be secret, and are dropped. */
    public Builder keepHeaders(String... names) {
      this.keptHeaders = lower(names);
      return this;
    }

    private static Set<String> lower(String... texts) {
      return Stream.of(texts)
          .map(text -> text.toLowerCase(Locale.ROOT))
          .collect(Collectors.toUnmodifiableSet());
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public ReceiverConfig build() {
      if (name.isBlank()) {
        problems.add("name is empty");
      }
      if (tolerance.isNegative()) {
        problems.add("tolerance is " + tolerance + ", but at least 0 is needed");
      }
      if (maxBytes < 1) {
        problems.add("maxBytes is " + maxBytes + ", but at least 1 is needed");
      }
      if (problems.isEmpty() && unsigned == (signingKeys != null)) {
        problems.add("set either signedWith or unsigned");
      }
      if (!problems.isEmpty()) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "the webhook receiver was not configured: " + String.join("; ", problems) + ".");
      }
      return new ReceiverConfig(
          name, reader, signingKeys, tolerance, maxBytes, contentTypes, keptHeaders);
    }
  }
}

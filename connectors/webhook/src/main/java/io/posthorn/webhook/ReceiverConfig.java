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
 * @param name of the endpoint: the sender of what comes here, within which ids are unique
 * @param reader how what arrives is read
 * @param signingKeys any of which may have signed, asked for each request; none = unsigned
 * @param tolerance between the time of the signature and now, either way
 * @param maxBytes the largest body; default 1 MiB
 * @param contentTypes that are taken; empty = all
 * @param keptHeaders of the request, beside those of correlation and tracing
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
   * Starts a configuration; {@link Builder#build} tells all that is wrong with it.
   *
   * @param name of the endpoint, one for each sender and its keys, for example {@code payments}
   */
  public static Builder at(String name, EnvelopeReader reader) {
    return new Builder(name, reader);
  }

  /** Collects the choices. Whether messages are signed has no default. */
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

    /** Any of these secrets ({@code whsec_…}) may have signed: the old and the new one. */
    public Builder signedWith(String... secrets) {
      try {
        List<SigningKey> keys = Stream.of(secrets).map(SigningKey::of).toList();
        return signedWith(() -> keys);
      } catch (PosthornException e) {
        problems.add("signedWith: " + e.getMessage());
        return unsigned();
      }
    }

    /** The same, asked for each request: keys can change while the program runs. */
    public Builder signedWith(Supplier<List<SigningKey>> keys) {
      this.signingKeys = keys;
      return this;
    }

    /** Says on purpose that anybody may send, or that others check who does. */
    public Builder unsigned() {
      this.unsigned = true;
      return this;
    }

    /** Between the time of the signature and now, either way; default 5 min. */
    public Builder tolerance(Duration most) {
      this.tolerance = most;
      return this;
    }

    /** The largest body; default 1 MiB. */
    public Builder maxBytes(int most) {
      this.maxBytes = most;
      return this;
    }

    /** Takes only these, for example {@code application/json}; default: all. */
    public Builder contentTypes(String... types) {
      this.contentTypes = lower(types);
      return this;
    }

    /** Keeps these headers with the message. The rest may be secret, and is dropped. */
    public Builder keepHeaders(String... names) {
      this.keptHeaders = lower(names);
      return this;
    }

    private static Set<String> lower(String... texts) {
      return Stream.of(texts)
          .map(text -> text.toLowerCase(Locale.ROOT))
          .collect(Collectors.toUnmodifiableSet());
    }

    /** Throws with all problems at once. */
    public ReceiverConfig build() {
      if (name.isBlank()) {
        problems.add("name is empty");
      }
      if (tolerance.isNegative()) {
        problems.add("tolerance is " + tolerance + ", at least 0 is needed");
      }
      if (maxBytes < 1) {
        problems.add("maxBytes is " + maxBytes + ", at least 1 is needed");
      }
      if (problems.isEmpty() && unsigned == (signingKeys != null)) {
        problems.add("give either signedWith or unsigned");
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

package io.posthorn.kafka;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How to receive from topics.
 *
 * @param servers some of the cluster's brokers, {@code host:port,host:port}
 * @param topics one or more
 * @param group the consumer group; none = named like the consumer
 * @param reader how what arrives is read
 * @param clientSettings of the Kafka client beside those that are the source's: TLS, login. Asked
 *     each time a client is made, also after it was refused
 * @param startAt where a group begins that has never read
 * @param timeout for one question to the brokers
 */
public record KafkaSourceConfig(
    String servers,
    List<String> topics,
    @Nullable String group,
    EnvelopeReader reader,
    Supplier<Map<String, String>> clientSettings,
    Start startAt,
    Duration timeout) {

  /** Where a group begins that has never read. */
  public enum Start {
    /** With the oldest message there is. */
    EARLIEST,
    /** With what is sent from now on. */
    NOW
  }

  /** Starts a configuration; {@link Builder#build} tells all that is wrong with it. */
  public static Builder from(String servers, EnvelopeReader reader, String... topics) {
    return new Builder(servers, reader, List.of(topics));
  }

  String groupOf(String consumer) {
    return group == null ? consumer : group;
  }

  /** Collects the choices; each has a default. */
  public static final class Builder {
    private final String servers;
    private final EnvelopeReader reader;
    private final List<String> topics;
    private final List<Supplier<Map<String, String>>> settings = new ArrayList<>();
    private @Nullable String group;
    private Start startAt = Start.EARLIEST;
    private Duration timeout = Duration.ofSeconds(8);

    private Builder(String servers, EnvelopeReader reader, List<String> topics) {
      this.servers = servers;
      this.reader = reader;
      this.topics = topics;
    }

    /** A setting of the Kafka client, for example {@code session.timeout.ms}, {@code 15000}. */
    public Builder client(String setting, String value) {
      return client(() -> Map.of(setting, value));
    }

    /** The same, asked each time a client is made, also after it was refused: for credentials. */
    public Builder client(Supplier<Map<String, String>> more) {
      settings.add(more);
      return this;
    }

    /**
     * Logs in by SASL/PLAIN over TLS. The password is asked for each time a client is made, also
     * after it was refused.
     */
    public Builder login(String user, Supplier<String> password) {
      return client(() -> ClientSettings.plain(user, password.get()));
    }

    /** The same by SASL/SCRAM-SHA-512: the password itself does not cross the wire. */
    public Builder scram(String user, Supplier<String> password) {
      return client(() -> ClientSettings.scram(user, password.get()));
    }

    /** The consumer group; default: named like the consumer. */
    public Builder group(String name) {
      this.group = name;
      return this;
    }

    /** Where a group begins that has never read; default {@link Start#EARLIEST}. */
    public Builder startAt(Start start) {
      this.startAt = start;
      return this;
    }

    /** For one question to the brokers; default 8 s. */
    public Builder timeout(Duration most) {
      this.timeout = most;
      return this;
    }

    /** Throws with all problems at once. */
    public KafkaSourceConfig build() {
      List<String> problems = new ArrayList<>();
      if (topics.isEmpty() || topics.stream().anyMatch(String::isBlank)) {
        problems.add("topics: there is none, or one without a name");
      }
      if (group != null && group.isBlank()) {
        problems.add("group is empty");
      }
      if (timeout.toMillis() < 100) {
        problems.add("timeout is " + timeout + ", at least 100 ms is needed");
      }
      problems.addAll(ConsumerSettings.problems(servers, clientSettings()));
      if (!problems.isEmpty()) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "the Kafka source was not configured: " + String.join("; ", problems) + ".");
      }
      return new KafkaSourceConfig(
          servers, topics, group, reader, this::clientSettings, startAt, timeout);
    }

    private Map<String, String> clientSettings() {
      Map<String, String> all = new LinkedHashMap<>();
      settings.forEach(some -> all.putAll(some.get()));
      return all;
    }
  }
}

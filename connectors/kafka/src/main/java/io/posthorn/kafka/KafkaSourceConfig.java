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
 * @param group the consumer group; null means the consumer's name
 * @param reader turns received records into messages
 * @param clientSettings settings of the Kafka client that the source does not set itself: TLS,
 *     login. The supplier is asked each time a client is opened, which includes every reopening
 *     after a refusal
 * @param startAt where a group that has never read begins
 * @param timeout for one request to the brokers
 */
public record KafkaSourceConfig(
    String servers,
    List<String> topics,
    @Nullable String group,
    EnvelopeReader reader,
    Supplier<Map<String, String>> clientSettings,
    Start startAt,
    Duration timeout) {

  /** Where a group that has never read begins. */
  public enum Start {
    /** With the oldest message in the topic. */
    EARLIEST,
    /** With the next message that is sent. */
    NOW
  }

  /** Starts a configuration; {@link Builder#build} reports all problems at once. */
  public static Builder from(String servers, EnvelopeReader reader, String... topics) {
    return new Builder(servers, reader, List.of(topics));
  }

  String groupOf(String consumer) {
    return group == null ? consumer : group;
  }

  /** Collects the settings; each has a default. */
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

    /** Client settings that may change, such as credentials: asked each time a client is opened. */
    public Builder client(Supplier<Map<String, String>> more) {
      settings.add(more);
      return this;
    }

    /**
     * Logs in by SASL/PLAIN over TLS. The password is asked for each time a client is opened, which
     * includes every reopening after a refusal.
     */
    public Builder login(String user, Supplier<String> password) {
      return client(() -> ClientSettings.plain(user, password.get()));
    }

    /** Logs in by SASL/SCRAM-SHA-512 over TLS: the password itself is not transmitted. */
    public Builder scram(String user, Supplier<String> password) {
      return client(() -> ClientSettings.scram(user, password.get()));
    }

    /** The consumer group; default: the consumer's name. */
    public Builder group(String name) {
      this.group = name;
      return this;
    }

    /** Where a group that has never read begins; default {@link Start#EARLIEST}. */
    public Builder startAt(Start start) {
      this.startAt = start;
      return this;
    }

    /** The time limit for one request to the brokers; default 8 s. */
    public Builder timeout(Duration most) {
      this.timeout = most;
      return this;
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public KafkaSourceConfig build() {
      List<String> problems = new ArrayList<>();
      if (topics.isEmpty() || topics.stream().anyMatch(String::isBlank)) {
        problems.add("topics: none is given, or one has no name");
      }
      if (group != null && group.isBlank()) {
        problems.add("group is empty");
      }
      if (timeout.toMillis() < 100) {
        problems.add("timeout is " + timeout + ", but at least 100 ms is needed");
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

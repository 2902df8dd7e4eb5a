package io.posthorn.kafka;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Address;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * How to reach one topic, or the topics that messages name.
 *
 * @param servers some of the cluster's brokers, {@code host:port,host:port}
 * @param topic the topic's name or a template for it, see {@link Address}
 * @param envelope how messages are wrapped
 * @param clientSettings settings of the Kafka client that the connector does not set itself: TLS,
 *     login, compression. The supplier is asked each time a client is opened, which includes every
 *     reopening after a refusal
 * @param timeout for the whole of a send; must be shorter than the destination's send timeout
 * @param partition chooses a message's partition, given the number of partitions; null means by the
 *     key, as Kafka clients do
 * @param tombstones which messages are sent without a value, so that a compacted topic deletes
 *     their key
 * @param newTopic the shape in which a missing topic is created; null means that it is never
 *     created
 */
public record KafkaConfig(
    String servers,
    Address topic,
    EnvelopeFormat envelope,
    Supplier<Map<String, String>> clientSettings,
    Duration timeout,
    @Nullable ToIntBiFunction<Message, Integer> partition,
    Predicate<Message> tombstones,
    @Nullable TopicShape newTopic) {

  /** The shape of a topic that the connector creates. */
  public record TopicShape(int partitions, short replicas) {}

  /** Starts a configuration; {@link Builder#build} reports all problems at once. */
  public static Builder to(String servers, String topic, EnvelopeFormat envelope) {
    return new Builder(servers, topic, envelope);
  }

  /** Collects the settings; each has a default. */
  public static final class Builder {
    private final String servers;
    private final String topic;
    private final EnvelopeFormat envelope;
    private final List<Supplier<Map<String, String>>> settings = new ArrayList<>();
    private Duration timeout = Duration.ofSeconds(8);
    private @Nullable ToIntBiFunction<Message, Integer> partition;
    private Predicate<Message> tombstones = message -> false;
    private int partitions;
    private int replicas;
    private boolean creates;

    private Builder(String servers, String topic, EnvelopeFormat envelope) {
      this.servers = servers;
      this.topic = topic;
      this.envelope = envelope;
    }

    /** A setting of the Kafka client, for example {@code compression.type}, {@code lz4}. */
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

    /**
     * The time limit for a whole send; default 8 s. The destination's send timeout must be longer.
     */
    public Builder timeout(Duration whole) {
      this.timeout = whole;
      return this;
    }

    /**
     * Chooses the partition: given the message and the number of partitions, returns a number from
     * 0. All messages of a key must get the same partition, or their order is lost. Default: by the
     * key's id.
     */
    public Builder partition(ToIntBiFunction<Message, Integer> choice) {
      this.partition = choice;
      return this;
    }

    /**
     * Chooses the messages that are sent without a value, for example those of type {@code
     * CustomerErased}, or those with an empty payload. Default: none.
     */
    public Builder tombstones(Predicate<Message> which) {
      this.tombstones = which;
      return this;
    }

    /** Creates the topic if it is missing. Default: it is never created. */
    public Builder createTopic(int ofPartitions, int ofReplicas) {
      this.creates = true;
      this.partitions = ofPartitions;
      this.replicas = ofReplicas;
      return this;
    }

    /** Builds the configuration, or throws an exception that lists all problems. */
    public KafkaConfig build() {
      List<String> problems = new ArrayList<>();
      Address.problems(topic).forEach(problem -> problems.add("topic: " + problem));
      if (timeout.toMillis() < 100) {
        problems.add("timeout is " + timeout + ", but at least 100 ms is needed");
      }
      if (creates) {
        checkNewTopic(problems);
      }
      problems.addAll(ClientSettings.problems(servers, timeout, clientSettings()));
      if (!problems.isEmpty()) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "the Kafka connector was not configured: " + String.join("; ", problems) + ".");
      }
      return new KafkaConfig(
          servers,
          Address.of(topic),
          envelope,
          this::clientSettings,
          timeout,
          partition,
          tombstones,
          creates ? new TopicShape(partitions, (short) replicas) : null);
    }

    private Map<String, String> clientSettings() {
      Map<String, String> all = new LinkedHashMap<>();
      settings.forEach(some -> all.putAll(some.get()));
      return all;
    }

    private void checkNewTopic(List<String> problems) {
      if (partitions < 1) {
        problems.add("createTopic: partitions is " + partitions + ", but at least 1 is needed");
      }
      if (replicas < 1 || replicas > Short.MAX_VALUE) {
        problems.add("createTopic: replicas is " + replicas + ", but at least 1 is needed");
      }
      if (topic.contains("{")) {
        problems.add(
            "createTopic: '" + topic + "' is a template, but only a fixed topic can be created");
      }
    }
  }
}

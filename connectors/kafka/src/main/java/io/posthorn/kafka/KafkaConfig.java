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
 * @param topic may be a template, see {@link Address}
 * @param envelope how messages are wrapped
 * @param clientSettings of the Kafka client beside those that are the connector's: TLS, login,
 *     compression. Asked each time a client is made, also after it was refused
 * @param timeout for the whole of a send; must be shorter than the destination's send timeout
 * @param partition chooses one of so many for a message; none = by the key, as Kafka clients do
 * @param tombstones which messages are sent without a value, so that a compacted topic forgets
 *     their key
 * @param newTopic the topic is made like this if it is missing; none = it is never made
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

  /** What a topic that the connector makes is like. */
  public record TopicShape(int partitions, short replicas) {}

  /** Starts a configuration; {@link Builder#build} tells all that is wrong with it. */
  public static Builder to(String servers, String topic, EnvelopeFormat envelope) {
    return new Builder(servers, topic, envelope);
  }

  /** Collects the choices; each has a default. */
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

    /** For the whole of a send; default 8 s. The destination's send timeout must be longer. */
    public Builder timeout(Duration whole) {
      this.timeout = whole;
      return this;
    }

    /**
     * Chooses the partition: given the message and how many there are, a number from 0. All
     * messages of a key must get the same one, or their order is lost. Default: by the key's id.
     */
    public Builder partition(ToIntBiFunction<Message, Integer> choice) {
      this.partition = choice;
      return this;
    }

    /**
     * Which messages are sent without a value, for example those of type {@code CustomerErased}, or
     * those with an empty payload. Default: none.
     */
    public Builder tombstones(Predicate<Message> which) {
      this.tombstones = which;
      return this;
    }

    /** Makes the topic if it is missing. Default: it is never made. */
    public Builder createTopic(int ofPartitions, int ofReplicas) {
      this.creates = true;
      this.partitions = ofPartitions;
      this.replicas = ofReplicas;
      return this;
    }

    /** Throws with all problems at once. */
    public KafkaConfig build() {
      List<String> problems = new ArrayList<>();
      Address.problems(topic).forEach(problem -> problems.add("topic: " + problem));
      if (timeout.toMillis() < 100) {
        problems.add("timeout is " + timeout + ", at least 100 ms is needed");
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
        problems.add("createTopic: partitions is " + partitions + ", at least 1 is needed");
      }
      if (replicas < 1 || replicas > Short.MAX_VALUE) {
        problems.add("createTopic: replicas is " + replicas + ", at least 1 is needed");
      }
      if (topic.contains("{")) {
        problems.add("createTopic: '" + topic + "' is a template, and only a fixed topic is made");
      }
    }
  }
}

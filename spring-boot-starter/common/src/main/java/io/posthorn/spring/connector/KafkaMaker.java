package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaConnector;
import io.posthorn.kafka.KafkaSource;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.spring.connector.KafkaAccess.Side;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Makes Kafka connectors and sources. Loaded only if the connector is on the class path. */
final class KafkaMaker {
  static final String NEEDS = "io.posthorn.kafka.KafkaConnector";

  private KafkaMaker() {}

  static Supplier<Connector> connector(
      DestinationProperties.Kafka kafka, EnvelopeFormat envelope, Surroundings around) {
    String servers = servers(kafka.servers(), Side.PRODUCER, around);
    KafkaConfig.Builder config =
        KafkaConfig.to(servers, text(kafka.topic()), envelope)
            .client(client(kafka.servers(), kafka.client(), Side.PRODUCER, around))
            .timeout(kafka.timeout());
    DestinationProperties.CreateTopic topic = kafka.createTopic();
    if (topic != null) {
      config.createTopic(topic.partitions(), topic.replicas());
    }
    if (kafka.partition() != null) {
      config.partition(partition(kafka.partition().strip(), around.beans()));
    }
    DestinationProperties.Tombstones tombstones = kafka.tombstones();
    if (tombstones != null) {
      config.tombstones(
          message ->
              tombstones.types().contains(message.type())
                  || (tombstones.emptyPayloads() && message.payload().length == 0));
    }
    KafkaConfig built = config.build();
    return () -> new KafkaConnector(built);
  }

  private static ToIntBiFunction<Message, Integer> partition(String choice, BeanFactory beans) {
    if (choice.matches("\\d{1,9}")) {
      int fixed = Integer.parseInt(choice);
      return (message, partitions) -> fixed;
    }
    if (!beans.containsBean(choice) || !beans.isTypeMatch(choice, ToIntBiFunction.class)) {
      throw new IllegalArgumentException(
          "partition is '%s': it must be the number of a partition, or the name of a bean of type ToIntBiFunction<Message, Integer>"
              .formatted(choice));
    }
    // Asked for late, and once: the bean may depend on others that are not created yet.
    SingletonSupplier<ToIntBiFunction<Message, Integer>> bean =
        SingletonSupplier.of(() -> partitioner(beans, choice));
    return (message, partitions) -> bean.obtain().applyAsInt(message, partitions);
  }

  @SuppressWarnings("unchecked") // The type's parameters are not known at run time.
  private static ToIntBiFunction<Message, Integer> partitioner(BeanFactory beans, String name) {
    return (ToIntBiFunction<Message, Integer>) beans.getBean(name, ToIntBiFunction.class);
  }

  static Source source(SourceProperties.Kafka kafka, EnvelopeReader reader, Surroundings around) {
    String servers = servers(kafka.servers(), Side.CONSUMER, around);
    KafkaSourceConfig.Builder config =
        KafkaSourceConfig.from(servers, reader, kafka.topics().toArray(String[]::new))
            .client(client(kafka.servers(), kafka.client(), Side.CONSUMER, around))
            .startAt(KafkaSourceConfig.Start.valueOf(kafka.startAt().name()))
            .timeout(kafka.timeout());
    return new KafkaSource(
        kafka.group() == null ? config.build() : config.group(kafka.group()).build());
  }

  private static String servers(@Nullable List<String> own, Side side, Surroundings around) {
    if (own != null) {
      return String.join(",", own);
    }
    KafkaAccess access = KafkaAccess.of(around.environment(), side);
    if (access.servers().isEmpty()) {
      throw new IllegalArgumentException(
          "servers is missing, and so is spring.kafka.bootstrap-servers");
    }
    access.servers().forEach(one -> checkResolved("spring.kafka.bootstrap-servers", one));
    if (access.hasBundle()) {
      throw new IllegalArgumentException(
          "spring.kafka.ssl.bundle is not supported: set key and trust stores in spring.kafka.ssl, or set servers and client here");
    }
    return String.join(",", access.servers());
  }

  /**
   * Asked each time a client is opened. With servers of its own, nothing of spring.kafka is used.
   */
  private static Supplier<Map<String, String>> client(
      @Nullable List<String> servers, Map<String, String> own, Side side, Surroundings around) {
    return () -> {
      Map<String, String> client = new LinkedHashMap<>();
      if (servers == null) {
        client.putAll(KafkaAccess.of(around.environment(), side).client());
      }
      client.putAll(own);
      return client;
    };
  }

  private static void checkResolved(String property, String value) {
    List<String> problems = Placeholders.problems(property, value);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}

package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
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
import org.jspecify.annotations.Nullable;

/** Makes Kafka connectors and sources. Loaded only if the connector is on the class path. */
final class KafkaMaker {
  static final String NEEDS = "io.posthorn.kafka.KafkaConnector";

  private KafkaMaker() {}

  static Supplier<Connector> connector(
      DestinationProperties.Kafka kafka, EnvelopeFormat envelope, Surroundings around) {
    String servers = servers(kafka.servers(), Side.PRODUCER, around);
    KafkaConfig config =
        KafkaConfig.to(servers, text(kafka.topic()), envelope)
            .client(client(kafka.servers(), kafka.client(), Side.PRODUCER, around))
            .timeout(kafka.timeout())
            .build();
    return () -> new KafkaConnector(config);
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

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}

package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.rabbitmq.Credentials;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqConnector;
import io.posthorn.rabbitmq.RabbitMqSource;
import io.posthorn.rabbitmq.RabbitMqSourceConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes RabbitMQ connectors and sources. Loaded only if the connector is on the class path. */
final class RabbitMqMaker {
  static final String NEEDS = "io.posthorn.rabbitmq.RabbitMqConnector";

  private RabbitMqMaker() {}

  static Supplier<Connector> connector(
      DestinationProperties.Rabbitmq rabbit, EnvelopeFormat envelope, Surroundings around) {
    RabbitMqAccess access = access(rabbit.access(), around);
    RabbitMqConfig.Builder config =
        RabbitMqConfig.to(access.brokers(), envelope)
            .virtualHost(access.virtualHost())
            .credentials(credentials(rabbit.access(), around))
            .routingKey(text(rabbit.routingKey()))
            .timeout(rabbit.timeout())
            .connectTimeout(rabbit.connectTimeout())
            .maxMessageSize(Math.toIntExact(rabbit.maxMessageSize().toBytes()));
    if (rabbit.exchange() != null) {
      config.exchange(rabbit.exchange());
    }
    RabbitMqConfig built =
        (access.tls() == null ? config.unencrypted() : config.tls(access.tls())).build();
    return () -> new RabbitMqConnector(built);
  }

  static Source source(
      SourceProperties.Rabbitmq rabbit, EnvelopeReader reader, Surroundings around) {
    RabbitMqAccess access = access(rabbit.access(), around);
    RabbitMqSourceConfig.Builder config =
        RabbitMqSourceConfig.from(access.brokers(), text(rabbit.queue()), reader)
            .virtualHost(access.virtualHost())
            .credentials(credentials(rabbit.access(), around))
            .connectTimeout(rabbit.connectTimeout())
            .prefetch(rabbit.prefetch());
    if (rabbit.management() != null) {
      config.management(rabbit.management());
    }
    return new RabbitMqSource(
        (access.tls() == null ? config.unencrypted() : config.tls(access.tls())).build());
  }

  private static RabbitMqAccess access(RabbitMqAccess.Own own, Surroundings around) {
    RabbitMqAccess access = RabbitMqAccess.of(own, around.environment(), around.bundles());
    if (access.brokers().isEmpty()) {
      throw new IllegalArgumentException(
          "addresses is missing, and so are spring.rabbitmq.host and spring.rabbitmq.addresses");
    }
    List<String> problems = new ArrayList<>();
    problems.addAll(Placeholders.problems("the address of RabbitMQ", access.brokers()));
    problems.addAll(Placeholders.problems("the user name for RabbitMQ", access.user()));
    problems.addAll(Placeholders.problems("the password for RabbitMQ", access.password()));
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return access;
  }

  /** Asked each time a connection is opened. */
  private static Supplier<Credentials> credentials(RabbitMqAccess.Own own, Surroundings around) {
    return () -> {
      RabbitMqAccess access = RabbitMqAccess.of(own, around.environment(), around.bundles());
      return new Credentials(access.user(), access.password());
    };
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}

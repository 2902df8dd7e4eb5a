package io.posthorn.spring.connector;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * How the application connects to Kafka according to spring.kafka: the servers and the security
 * settings. Reads them without Spring Kafka, which need not be on the class path.
 *
 * @param servers may be empty
 */
record KafkaAccess(List<String> servers, Map<String, String> client, boolean hasBundle) {
  /** The part of spring.kafka for sending or for receiving. */
  enum Side {
    PRODUCER,
    CONSUMER
  }

  static KafkaAccess of(Environment environment, Side side) {
    Spring spring = Binder.get(environment).bindOrCreate("spring.kafka", Spring.class);
    Part common = new Part(spring.bootstrapServers, spring.properties, spring.security, spring.ssl);
    Part own = side == Side.PRODUCER ? spring.producer : spring.consumer;
    Map<String, String> client = new LinkedHashMap<>(common.client());
    client.putAll(own.client());
    return new KafkaAccess(
        own.bootstrapServers.isEmpty() ? common.bootstrapServers : own.bootstrapServers,
        client,
        common.ssl.bundle != null || own.ssl.bundle != null);
  }

  record Spring(
      @DefaultValue List<String> bootstrapServers,
      @DefaultValue Map<String, String> properties,
      @DefaultValue Security security,
      @DefaultValue Ssl ssl,
      @DefaultValue Part producer,
      @DefaultValue Part consumer) {}

  record Part(
      @DefaultValue List<String> bootstrapServers,
      @DefaultValue Map<String, String> properties,
      @DefaultValue Security security,
      @DefaultValue Ssl ssl) {

    private Map<String, String> client() {
      Map<String, String> client = new LinkedHashMap<>();
      properties.forEach(
          (name, value) -> {
            if (name.startsWith("security.")
                || name.startsWith("sasl.")
                || name.startsWith("ssl.")) {
              client.put(name, value);
            }
          });
      put(client, "security.protocol", security.protocol);
      ssl.into(client);
      return client;
    }
  }

  record Security(@Nullable String protocol) {}

  record Ssl(
      @Nullable String bundle,
      @Nullable String keyPassword,
      @Nullable String keyStoreCertificateChain,
      @Nullable String keyStoreKey,
      @Nullable String keyStoreLocation,
      @Nullable String keyStorePassword,
      @Nullable String keyStoreType,
      @Nullable String trustStoreCertificates,
      @Nullable String trustStoreLocation,
      @Nullable String trustStorePassword,
      @Nullable String trustStoreType,
      @Nullable String protocol) {

    private void into(Map<String, String> client) {
      put(client, "ssl.key.password", keyPassword);
      put(client, "ssl.keystore.certificate.chain", keyStoreCertificateChain);
      put(client, "ssl.keystore.key", keyStoreKey);
      put(client, "ssl.keystore.location", Files.path(keyStoreLocation));
      put(client, "ssl.keystore.password", keyStorePassword);
      put(client, "ssl.keystore.type", keyStoreType);
      put(client, "ssl.truststore.certificates", trustStoreCertificates);
      put(client, "ssl.truststore.location", Files.path(trustStoreLocation));
      put(client, "ssl.truststore.password", trustStorePassword);
      put(client, "ssl.truststore.type", trustStoreType);
      put(client, "ssl.protocol", protocol);
    }
  }

  private static void put(Map<String, String> client, String name, @Nullable String value) {
    if (value != null) {
      client.put(name, value);
    }
  }
}

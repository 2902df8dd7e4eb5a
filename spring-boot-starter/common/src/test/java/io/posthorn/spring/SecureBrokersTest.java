package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedRabbitMq;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The clients apply the TLS and password settings of spring.kafka and spring.rabbitmq. */
class SecureBrokersTest {
  private static final String PASSWORD = "changeit";
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @TempDir Path directory;

  @OutboxMessage
  record Insured(@MessageKey("order") String order) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Insurance insurance() {
      return new Insurance();
    }
  }

  static class Insurance {
    @MessageHandler(consumer = "insurance", source = "insured")
    void note(Insured insured) {
      SEEN.add(insured.order());
    }
  }

  @BeforeEach
  void empty() {
    SEEN.clear();
  }

  @Test
  void kafka_is_reached_by_tls_and_a_password() throws Exception {
    Path key = key();
    try (EmbeddedKafka kafka =
        EmbeddedKafka.builder()
            .listener("SECURE", "SASL_SSL")
            .setting("listener.name.secure.sasl.enabled.mechanisms", "PLAIN")
            .setting("listener.name.secure.plain.sasl.jaas.config", login("user_shop=\"right\""))
            .setting("ssl.keystore.location", key.toString())
            .setting("ssl.keystore.type", "PKCS12")
            .setting("ssl.keystore.password", PASSWORD)
            .start()) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic("insured", 1, (short) 1))).all().get();
      }
      comesBack(
          "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers("SECURE"),
          "spring.kafka.security.protocol=SASL_SSL",
          "spring.kafka.properties.sasl.mechanism=PLAIN",
          "spring.kafka.properties.sasl.jaas.config="
              + login("username=\"shop\" password=\"right\""),
          "spring.kafka.ssl.trust-store-location=file:" + key,
          "spring.kafka.ssl.trust-store-type=PKCS12",
          "spring.kafka.ssl.trust-store-password=" + PASSWORD,
          "posthorn.destinations.insured.kafka.topic=insured",
          "posthorn.sources.insured.kafka.topics=insured");
    }
  }

  @Test
  void rabbitmq_is_reached_by_tls_and_a_password() throws Exception {
    Path key = key();
    KeyStore store = KeyStore.getInstance(key.toFile(), PASSWORD.toCharArray());
    Path certificate = pem("CERTIFICATE", store.getCertificate("key").getEncoded());
    Path secret = pem("PRIVATE KEY", store.getKey("key", PASSWORD.toCharArray()).getEncoded());
    int port = freePort();
    try (EmbeddedRabbitMq rabbit =
        EmbeddedRabbitMq.builder()
            .setting("listeners.ssl.default", "127.0.0.1:" + port)
            .setting("ssl_options.certfile", certificate.toString())
            .setting("ssl_options.keyfile", secret.toString())
            .start()) {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setPort(rabbit.port());
      try (var connection = factory.newConnection();
          var channel = connection.createChannel()) {
        channel.queueDeclare("insured", true, false, false, Map.of("x-queue-type", "quorum"));
      }
      rabbit.control("add_user", "shop", "right");
      rabbit.control("set_permissions", "shop", ".*", ".*", ".*");
      comesBack(
          "spring.rabbitmq.host=localhost",
          "spring.rabbitmq.port=" + port,
          "spring.rabbitmq.username=shop",
          "spring.rabbitmq.password=right",
          "spring.rabbitmq.ssl.enabled=true",
          "spring.rabbitmq.ssl.trust-store=file:" + key,
          "spring.rabbitmq.ssl.trust-store-type=PKCS12",
          "spring.rabbitmq.ssl.trust-store-password=" + PASSWORD,
          "posthorn.destinations.insured.rabbitmq.routing-key=insured",
          "posthorn.sources.insured.rabbitmq.queue=insured");
    }
  }

  private static void comesBack(String... properties) {
    String[] all = List.of(properties).toArray(new String[properties.length + 1]);
    all[properties.length] = "posthorn.destinations.insured.types=Insured";
    try (App app = App.start(Shop.class, all)) {
      app.inTransaction(tx -> app.outbox().add(new Insured("7")));

      await().untilAsserted(() -> assertThat(SEEN).containsExactly("7"));
    }
  }

  private static String login(String options) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required " + options + ";";
  }

  /** Creates a key for localhost with its certificate; clients with the file also trust it. */
  private Path key() throws IOException, InterruptedException {
    Path store = directory.resolve("key.p12").toAbsolutePath();
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "key",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor()).isZero();
    return store;
  }

  private Path pem(String what, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        Files.createTempFile(directory, "tls", ".pem"),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

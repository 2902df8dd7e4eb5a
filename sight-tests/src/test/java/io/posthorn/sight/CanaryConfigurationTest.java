package io.posthorn.sight;

import static io.posthorn.sight.Canary.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Received;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.rabbitmq.Credentials;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqSourceConfig;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.Ports;
import io.posthorn.webhook.ReceiverConfig;
import io.posthorn.webhook.SigningKey;
import io.posthorn.webhook.WebhookConfig;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Neither what is configured nor what is refused shows a secret. */
class CanaryConfigurationTest {
  private static final EnvelopeFormat FORMAT = EnvelopeFormat.cloudEvents("/shop");
  private static final EnvelopeReader READER = EnvelopeReader.cloudEvents();
  private static final Credentials LOGIN = new Credentials("user", SECRET);

  @Test
  void a_printed_configuration_shows_no_secret() {
    Message message =
        Message.of("Placed")
            .json(SECRET.getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .header("x-api-token", SECRET)
            .build();
    List<Object> printed =
        List.of(
            LOGIN,
            SigningKey.of(Canary.KEY),
            message,
            new Received("/shop", message),
            KafkaConfig.to("localhost:1", "orders", FORMAT)
                .login("user", () -> SECRET)
                .client("ssl.truststore.password", SECRET)
                .build(),
            KafkaSourceConfig.from("localhost:1", READER, "orders")
                .scram("user", () -> SECRET)
                .client("ssl.keystore.password", SECRET)
                .build(),
            RabbitMqConfig.to("localhost", FORMAT)
                .routingKey("orders")
                .credentials(() -> LOGIN)
                .unencrypted()
                .build(),
            RabbitMqSourceConfig.from("localhost", "orders", READER)
                .credentials(() -> LOGIN)
                .unencrypted()
                .build(),
            WebhookConfig.to("https://example.org/hooks?key=" + SECRET, FORMAT)
                .signedWith(Canary.KEY)
                .bearer(() -> SECRET)
                .build(),
            ReceiverConfig.at("payments", READER).signedWith(Canary.KEY).build());
    printed.forEach(one -> Canary.assertSilent(one.getClass().getSimpleName(), one));
  }

  @Test
  void a_refused_configuration_shows_no_secret() {
    List<ThrowingCallable> refused = new ArrayList<>();
    String tls = "org.apache.kafka.common.security.plain.PlainLoginModule";
    refused.add(
        () ->
            KafkaConfig.to("localhost:1", "orders", FORMAT)
                .client("ssl.truststore.password", SECRET)
                .client("acks", "0")
                .client("linger.ms", "x")
                .client("sasl.jaas.config", tls + " required password=" + SECRET)
                .build());
    refused.add(
        () -> RabbitMqConfig.to("amqp://user:" + SECRET + "@localhost:5672", FORMAT).build());
    refused.add(() -> RabbitMqConfig.to("user:" + SECRET + "@localhost:x", FORMAT).build());
    for (String management :
        new String[] {
          "http://user:" + SECRET + "@localhost:15672",
          "ftp://user:" + SECRET + "@localhost",
          "user:" + SECRET + "@local host"
        }) {
      refused.add(
          () ->
              RabbitMqSourceConfig.from("localhost", "orders", READER)
                  .credentials(() -> LOGIN)
                  .unencrypted()
                  .management(management)
                  .build());
    }
    for (String url :
        new String[] {
          "https://user:" + SECRET + "@example.org/hooks",
          "ftp://example.org/hooks?key=" + SECRET,
          "https://example.org/{unknown}?key=" + SECRET,
          "https://example.org/hooks?key=" + SECRET + "{",
          "https://exa mple.org/hooks?key=" + SECRET
        }) {
      refused.add(() -> WebhookConfig.to(url, FORMAT).signedWith(Canary.KEY).build());
    }
    refused.add(
        () ->
            WebhookConfig.to("https://example.org", FORMAT).signedWith("whsec_" + SECRET).build());
    refused.add(() -> SigningKey.of(SECRET));
    for (ThrowingCallable one : refused) {
      Throwable thrown = catchThrowable(one);
      assertThat(thrown).isNotNull();
      Canary.assertSilent("refused", thrown);
    }
    Canary.assertSilent("logs", CapturedLogs.lines());
  }

  @Test
  void the_error_for_an_unreachable_database_shows_no_secret() {
    String running = EmbeddedPostgres.shared().jdbcUrl();
    for (String url :
        new String[] {
          "jdbc:postgresql://127.0.0.1:" + Ports.free() + "/shop?user=user&password=" + SECRET,
          running + "&user=nobody&password=" + SECRET,
          running.replaceFirst("/[^/?]*\\?", "/missing?") + "&sslpassword=" + SECRET
        }) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(url);
      config.setInitializationFailTimeout(-1);
      config.setConnectionTimeout(300);
      try (HikariDataSource pool = new HikariDataSource(config)) {
        Throwable thrown =
            catchThrowable(
                () -> Relay.on(PostgresqlStore.on(pool), "shop", "test").build().start());
        assertThat(thrown).isNotNull();
        Canary.assertSilent(url.substring(0, 30), thrown);
      }
    }
    Canary.assertSilent("logs", CapturedLogs.lines());
  }

  @Test
  void the_command_line_prints_no_secret_of_a_database_that_it_cannot_reach() {
    String nobody = "jdbc:postgresql://127.0.0.1:" + Ports.free() + "/shop";
    for (String url :
        new String[] {
          nobody,
          nobody + "?password=" + SECRET,
          nobody.replace("//", "//user:" + SECRET + "@"),
          "postgresql://user:" + SECRET + "@localhost/shop"
        }) {
      String printed =
          Cli.posthorn(
              "status", "--url", url, "--user", "user", "--password", SECRET, "--stacktrace", "-v");
      assertThat(printed).contains("posthorn: ");
      Canary.assertSilent("posthorn status", printed);
    }
  }
}

package io.posthorn.sight;

import static io.posthorn.sight.Canary.SECRET;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import io.posthorn.core.store.Start;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaConnector;
import io.posthorn.kafka.KafkaSource;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.observe.OutboxMetrics;
import io.posthorn.rabbitmq.Credentials;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqConnector;
import io.posthorn.rabbitmq.RabbitMqSource;
import io.posthorn.rabbitmq.RabbitMqSourceConfig;
import io.posthorn.spring.actuator.OutboxHealth;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.Ports;
import io.posthorn.trace.OpenTelemetryTracing;
import io.posthorn.webhook.WebhookConfig;
import io.posthorn.webhook.WebhookConnector;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A secret stands in every setting, payload and header, everything fails in every way, and the
 * secret shows nowhere: not in logs, rows, metrics, traces or what the command line prints.
 */
class CanaryFailuresTest {
  /** One of these is sent to each destination. */
  record Placed(String secret) {}

  private static final EnvelopeFormat FORMAT = EnvelopeFormat.cloudEvents("/shop");
  private static final EnvelopeReader READER = EnvelopeReader.cloudEvents();
  private static final Credentials LOGIN = new Credentials("guest", SECRET);
  private static final String[] FAILURES = {
    "url",
    "row",
    "json",
    "read",
    "state",
    "enum",
    "range",
    "array",
    "key",
    "batch",
    "json-library",
    "person",
    "other-database",
    "headers"
  };

  private final EmbeddedKafka kafka =
      EmbeddedKafka.builder()
          .listener("LOGIN", "SASL_PLAINTEXT")
          .setting("listener.name.login.sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512")
          .setting(
              "listener.name.login.plain.sasl.jaas.config",
              "org.apache.kafka.common.security.plain.PlainLoginModule required user_user=\"x\";")
          .setting(
              "listener.name.login.scram-sha-512.sasl.jaas.config",
              "org.apache.kafka.common.security.scram.ScramLoginModule required;")
          .start();
  private final EmbeddedRabbitMq rabbit = EmbeddedRabbitMq.builder().start();
  private final EchoServer echo = new EchoServer();
  private final Map<String, Connector> connectors = new LinkedHashMap<>();
  private final Set<String> failed = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final MessageTypes types =
      MessageTypes.of(MessageType.named("Placed").from(Placed.class), MessageType.named("Failing"));
  private final Site site = new Site("&password=" + SECRET, "Placed", "Failing");
  private final Outbox outbox = Outbox.on(site.store, types).build();

  @AfterEach
  void stop() {
    connectors.values().forEach(Connector::close);
    site.close();
    echo.close();
    rabbit.close();
    kafka.close();
  }

  @Test
  void a_secret_shows_nowhere_however_things_fail() {
    connectors();
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    String scrape;
    String traces;
    try (OpenTelemetrySdk telemetry = telemetry(spans);
        OutboxMetrics metrics =
            OutboxMetrics.on(registry).database(site.store).every(Duration.ofMillis(200)).build();
        Bus bus = bus(OpenTelemetryTracing.on(telemetry), metrics.and(this::note))) {
      bus.start();
      site.add(message("Placed", "all"));
      for (String way : FAILURES) {
        site.add(message("Failing", way));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> {
                assertThat(failed).containsAll(connectors.keySet());
                assertThat(seen).contains(FAILURES);
                assertThat(failed).contains("broken", "reader", "from-kafka", "from-rabbit");
                assertThat(refused).contains("kafka-password", "kafka-scram", "rabbit-login");
                assertThat(letters()).hasSizeGreaterThanOrEqualTo(3);
              });
      scrape = registry.scrape();
      // Closed, the exporter forgets them.
      traces = String.valueOf(spans.getFinishedSpanItems());
    }
    for (LogLine line : CapturedLogs.lines()) {
      Canary.assertSilent("log of " + line.logger(), line);
    }
    Rows.of(site.pool).forEach(row -> Canary.assertSilent("row", row));
    Canary.assertSilent("metrics", scrape);
    Canary.assertSilent("traces", traces);
    Canary.assertSilent("health", health());
    assertThat(CapturedLogs.lines()).anyMatch(line -> line.logger().startsWith("io.posthorn"));
    assertThat(Rows.of(site.pool)).anyMatch(row -> row.startsWith("posthorn_dead"));
    assertThat(scrape).contains("outbox_publish_failure_total");
    assertThat(traces).contains("send web-500", "process broken");
    commandsTellNothing();
  }

  private void commandsTellNothing() {
    List<List<String>> commands = new ArrayList<>();
    commands.add(List.of("status"));
    commands.add(List.of("destinations", "list"));
    commands.add(List.of("parked", "list", "web-500"));
    commands.add(List.of("dead", "list"));
    commands.add(List.of("dead", "groups"));
    commands.add(List.of("dead", "show", letters().get(0).id().toString()));
    commands.add(List.of("dead", "show", letters().get(0).id().toString(), "--json"));
    commands.add(List.of("messages", "find", letters().get(0).messageId().toString()));
    commands.add(List.of("messages", "find", letters().get(0).messageId().toString(), "--json"));
    for (List<String> command : commands) {
      List<String> args = new ArrayList<>(command);
      args.addAll(List.of("--url", site.url));
      String printed = Cli.posthorn(args.toArray(String[]::new));
      assertThat(printed).as("posthorn %s", command).doesNotContain("posthorn: ");
      Canary.assertSilent("posthorn " + command, printed);
    }
  }

  /** What Actuator shows. */
  private OutboxHealth.Report health() {
    OutboxHealth.Report report =
        new OutboxHealth(site.store, Duration.ZERO, Clock.systemUTC()).report();
    assertThat(report.status()).isEqualTo(OutboxHealth.DEGRADED);
    return report;
  }

  private List<DeadLetter> letters() {
    return DeadLetters.on(site.store).list(DeadLetterQuery.waiting(), null, 100);
  }

  private static OpenTelemetrySdk telemetry(InMemorySpanExporter spans) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build())
        .build();
  }

  private void note(Event event) {
    if (event instanceof Event.CallFailed || event instanceof Event.SubscriptionFailed) {
      failed.add(event.destination());
    }
    if (event instanceof Event.CallFailed call
        && call.reason().code().equals(Reason.ACCESS_DENIED)) {
      refused.add(call.destination());
    }
  }

  private static Message message(String type, String key) {
    return Message.of(type)
        .key("Order", key)
        .header("x-api-token", SECRET)
        .json(("{\"secret\": " + SECRET + "}").getBytes(UTF_8))
        .build();
  }

  // ---- where messages go ----

  private void connectors() {
    String broker = kafka.bootstrapServers();
    connectors.put("kafka-tls", new KafkaConnector(kafka(broker).build()));
    connectors.put(
        "kafka-login",
        new KafkaConnector(kafka(broker).client("security.protocol", "SASL_PLAINTEXT").build()));
    connectors.put(
        "kafka-store",
        new KafkaConnector(
            kafka(broker)
                .client("ssl.truststore.location", "/nowhere/trust.p12")
                .client("ssl.truststore.password", SECRET)
                .build()));
    connectors.put(
        "kafka-jaas",
        new KafkaConnector(
            kafka(broker)
                .client("sasl.jaas.config", "Module required password=" + SECRET)
                .build()));
    String login = kafka.bootstrapServers("LOGIN");
    connectors.put(
        "kafka-password",
        new KafkaConnector(kafka(login).client("security.protocol", "SASL_PLAINTEXT").build()));
    connectors.put(
        "kafka-scram",
        new KafkaConnector(
            kafka(login)
                .scram("user", () -> SECRET)
                .client("security.protocol", "SASL_PLAINTEXT")
                .build()));
    connectors.put("kafka-away", new KafkaConnector(kafka("127.0.0.1:" + Ports.free()).build()));
    connectors.put("rabbit-login", new RabbitMqConnector(rabbit("127.0.0.1:" + rabbit.port())));
    connectors.put("rabbit-away", new RabbitMqConnector(rabbit("127.0.0.1:" + Ports.free())));
    String here = "http://127.0.0.1:" + echo.port();
    for (int status : new int[] {302, 400, 401, 404, 500}) {
      web("web-" + status, here + "/" + status + "/hooks/" + SECRET + "?key=" + SECRET);
    }
    web("web-away", "http://127.0.0.1:" + Ports.free() + "/" + SECRET + "?key=" + SECRET);
    web("web-name", "http://nobody.invalid/" + SECRET + "?key=" + SECRET);
    web("web-tls", "https://127.0.0.1:" + echo.port() + "/" + SECRET + "?key=" + SECRET);
    web("web-template", here + "/500/" + SECRET + "/{header.none}?key=" + SECRET);
    web("web-guard", "http://192.0.2.1/" + SECRET + "?key=" + SECRET);
  }

  private static KafkaConfig.Builder kafka(String servers) {
    return KafkaConfig.to(servers, "orders", FORMAT)
        .login("user", () -> SECRET)
        .timeout(Duration.ofSeconds(2));
  }

  private static RabbitMqConfig rabbit(String broker) {
    return RabbitMqConfig.to(broker, FORMAT)
        .routingKey("orders")
        .credentials(() -> LOGIN)
        .unencrypted()
        .connectTimeout(Duration.ofSeconds(1))
        .timeout(Duration.ofSeconds(2))
        .build();
  }

  private void web(String name, String url) {
    WebhookConfig.Builder config =
        WebhookConfig.to(url, FORMAT)
            .signedWith(Canary.KEY)
            .plainHttp()
            .allowNetworks("127.0.0.0/8")
            .connectTimeout(Duration.ofSeconds(1))
            .timeout(Duration.ofSeconds(2));
    WebhookConfig.Builder login =
        name.endsWith("1") ? config.basic("user", () -> SECRET) : config.bearer(() -> SECRET);
    connectors.put(name, new WebhookConnector(login.build()));
  }

  // ---- where they come from ----

  private Bus bus(OpenTelemetryTracing tracing, Observer observer) {
    Relay.Builder relay = site.relay().tracing(tracing).observer(observer);
    connectors.forEach((name, to) -> relay.destination(Site.to(name, to, "Placed")));
    Bus bus =
        Bus.on(site.store, site.pool, outbox, types)
            .tracing(tracing)
            .observer(observer)
            .payloads(event -> new byte[0], CanaryFailuresTest::unreadable)
            .relay(relay)
            .build();
    bus.subscribe("reader", Placed.class, (placed, handling) -> {}).startAt(Start.EARLIEST);
    bus.subscribe("broken")
        .startAt(Start.EARLIEST)
        .on(
            "Failing",
            (message, handling) -> {
              String way = String.valueOf(message.key()).replace("Order/", "");
              seen.add(way);
              fail(way, handling.connection().prepareStatement(sql(way)));
            });
    bus.subscribe("from-kafka").from(kafkaSource()).on("Placed", (m, h) -> {});
    bus.subscribe("from-rabbit").from(rabbitSource()).on("Placed", (m, h) -> {});
    return bus;
  }

  /** As JSON libraries do, it quotes what it could not read. */
  private static Object unreadable(byte[] payload, Class<?> type) {
    throw new IllegalArgumentException("Unrecognized token in " + new String(payload, UTF_8));
  }

  private static String sql(String way) {
    return switch (way) {
      case "row" -> "CREATE TEMP TABLE t (x text CHECK (x = 'a')) ON COMMIT DROP";
      case "json" -> "SELECT '" + SECRET + "'::json";
      case "enum" -> "CREATE TYPE mood AS ENUM ('good')";
      case "key", "batch" -> "CREATE TEMP TABLE t (x text PRIMARY KEY) ON COMMIT DROP";
      default -> "SELECT 1";
    };
  }

  private static void fail(String way, PreparedStatement statement) throws Exception {
    statement.execute();
    Connection connection = statement.getConnection();
    switch (way) {
      case "enum" -> connection.prepareStatement("SELECT '" + SECRET + "'::mood").execute();
      case "range" ->
          connection.prepareStatement("SELECT '" + Canary.NUMBER + "'::integer").execute();
      case "array" -> connection.prepareStatement("SELECT '{" + SECRET + "'::text[]").execute();
      case "key" -> {
        String row = "('a) " + SECRET + "')";
        connection.prepareStatement("INSERT INTO t VALUES " + row + ", " + row).execute();
      }
      case "batch" -> {
        PreparedStatement batch = connection.prepareStatement("INSERT INTO t VALUES (?)");
        for (int i = 0; i < 2; i++) {
          batch.setString(1, "was aborted: " + SECRET);
          batch.addBatch();
        }
        batch.executeBatch();
      }
      case "json-library" ->
          throw new IllegalStateException(
              ("Unrecognized token '%s': was expecting (JSON String)\n at [Source: "
                      + "(String)\"{\"a\": \"%s\"}\"; line: 1, column: 2]")
                  .formatted(SECRET, SECRET));
      case "person" -> throw new IllegalStateException("no mail for " + SECRET + "@example.org");
      case "other-database" ->
          throw new IllegalStateException(
              "Duplicate entry '" + SECRET + "' for key 'customer.email'");
      case "headers" ->
          throw new IllegalStateException(
              "headers={Cookie=[a=1; b=%s], Authorization=[Bearer %s]}".formatted(SECRET, SECRET));
      case "row" -> {
        String insert = "INSERT INTO t VALUES ('" + SECRET + "')";
        connection.prepareStatement(insert).execute();
      }
      case "url" ->
          throw new IllegalStateException(
              "https://user:" + SECRET + "@example.org/pay?access_token=" + SECRET + " failed");
      default -> throw new IllegalStateException("{\"password\": \"" + SECRET + "\"}");
    }
  }

  private Source kafkaSource() {
    return new KafkaSource(
        KafkaSourceConfig.from(kafka.bootstrapServers(), READER, "orders")
            .login("user", () -> SECRET)
            .client("ssl.keystore.location", "/nowhere/keys.p12")
            .client("ssl.keystore.password", SECRET)
            .timeout(Duration.ofSeconds(2))
            .build());
  }

  private Source rabbitSource() {
    return new RabbitMqSource(
        RabbitMqSourceConfig.from("127.0.0.1:" + rabbit.port(), "orders", READER)
            .credentials(() -> LOGIN)
            .unencrypted()
            .connectTimeout(Duration.ofSeconds(1))
            .build());
  }
}

package io.posthorn.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.awaitility.Awaitility;

/** A program with an outbox, whose spans are kept in memory. */
final class Shop implements AutoCloseable {
  static final MessageTypes TYPES =
      MessageTypes.of(MessageType.named("OrderPlaced"), MessageType.named("OrderPacked"));

  final InMemorySpanExporter spans = InMemorySpanExporter.create();
  final OpenTelemetrySdk telemetry;
  final Tracer tracer;
  final OpenTelemetryTracing tracing;
  final HikariDataSource pool;
  final PostgresqlStore store;
  final Outbox outbox;

  Shop() {
    this(Sampler.parentBased(Sampler.alwaysOn()));
  }

  Shop(Sampler sampler) {
    this.telemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .setSampler(sampler)
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    this.tracer = telemetry.getTracer("shop");
    this.tracing = OpenTelemetryTracing.on(telemetry);
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
    this.pool = new HikariDataSource(config);
    new Migrations(Tables.DEFAULT).migrate(pool);
    this.store = PostgresqlStore.on(pool);
    this.outbox = Outbox.on(store, TYPES).tracing(tracing).build();
  }

  Relay.Builder relay() {
    return Relay.on(store, "shop", "test")
        .tracing(tracing)
        .wokenBy(outbox)
        .config(
            RelayConfig.builder()
                .lease(Duration.ofSeconds(30))
                .settleTimeout(Duration.ofSeconds(2))
                .poll(Duration.ofMillis(5), Duration.ofMillis(100))
                .build());
  }

  static Destination to(String name, Connector connector, String... types) {
    return Destination.named(name, connector)
        .types(types)
        .sendTimeout(Duration.ofSeconds(5))
        .retry(RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(50)))
        .build();
  }

  static Message order(String type, String number) {
    return Message.of(type)
        .key("Order", number)
        .correlationId("c-" + number)
        .json("{\"card\":\"4711-secret\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .build();
  }

  /** Adds the message in its own transaction, inside a business span, and returns that span. */
  SpanContext place(Message message) {
    var business = tracer.spanBuilder("POST /orders").startSpan();
    try (Scope scope = business.makeCurrent()) {
      assertThat(scope).isNotNull();
      add(message);
    } finally {
      business.end();
    }
    return business.getSpanContext();
  }

  void add(Message message) {
    try (Connection tx = pool.getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, message);
      tx.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    outbox.wake();
  }

  /** Returns the spans of this name in their order, as soon as there are this many. */
  List<SpanData> await(String name, int count) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> named(name), found -> found.size() >= count);
  }

  List<SpanData> named(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  static String traceparent(SpanData span) {
    String flags = span.getSpanContext().getTraceFlags().asHex();
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + flags;
  }

  @Override
  public void close() {
    pool.close();
    telemetry.close();
  }
}

package io.posthorn.trace;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaConnector;
import io.posthorn.kafka.KafkaSource;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testservers.EmbeddedKafka;
import org.junit.jupiter.api.Test;

/** One trace, from the business transaction through a real Kafka to the handler's own message. */
class ThroughKafkaTest {
  @Test
  void a_trace_runs_from_the_business_transaction_through_kafka_to_the_handler_s_own_message() {
    try (EmbeddedKafka kafka = EmbeddedKafka.builder().start();
        Shop shop = new Shop();
        KafkaConnector orders =
            new KafkaConnector(
                KafkaConfig.to(
                        kafka.bootstrapServers(), "orders", EnvelopeFormat.cloudEvents("/shop"))
                    .createTopic(1, 1)
                    .build())) {
      FakeConnector shipping = FakeConnector.acking();
      try (Bus bus = bus(shop, kafka, orders, shipping)) {
        bus.subscribe("stock")
            .on(
                "OrderPlaced",
                (message, handling) -> {
                  Span packing = shop.tracer.spanBuilder("pack").startSpan();
                  packing.end();
                  handling.add(Message.of("OrderPacked").key("Order", "7"));
                });
        bus.start();

        Message placed = Shop.order("OrderPlaced", "7");
        SpanContext business = shop.place(placed);

        SpanData sent = shop.await("send orders", 1).get(0);
        SpanData handled = shop.await("process stock", 1).get(0);
        SpanData packing = shop.await("pack", 1).get(0);
        SpanData sentOn = shop.await("send shipping", 1).get(0);
        assertThat(sent.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(handled.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(sent.getParentSpanId()).isEqualTo(business.getSpanId());
        assertThat(handled.getParentSpanId()).isEqualTo(sent.getSpanId());
        assertThat(packing.getParentSpanId()).isEqualTo(handled.getSpanId());
        assertThat(sentOn.getParentSpanId()).isEqualTo(handled.getSpanId());
        assertThat(shop.spans.getFinishedSpanItems())
            .extracting(SpanData::getTraceId)
            .containsOnly(business.getTraceId());
        assertThat(sent.getAttributes().asMap())
            .containsEntry(stringKey("messaging.system"), "posthorn")
            .containsEntry(stringKey("messaging.operation.name"), "send")
            .containsEntry(stringKey("messaging.operation.type"), "send")
            .containsEntry(stringKey("messaging.destination.name"), "orders")
            .containsEntry(stringKey("messaging.message.id"), placed.id().toString())
            .containsEntry(stringKey("messaging.message.conversation_id"), "c-7")
            .containsEntry(stringKey("posthorn.type"), "OrderPlaced")
            .containsEntry(stringKey("posthorn.key"), "Order/7")
            .containsEntry(longKey("posthorn.attempt"), 1L);
        assertThat(handled.getAttributes().asMap())
            .containsEntry(stringKey("messaging.consumer.group.name"), "stock")
            .containsEntry(stringKey("messaging.operation.type"), "process")
            .containsEntry(stringKey("messaging.message.id"), placed.id().toString());
        assertThat(shipping.received().get(0).headers().get(Headers.TRACEPARENT))
            .isEqualTo(Shop.traceparent(sentOn));
      }
    }
  }

  private static Bus bus(
      Shop shop, EmbeddedKafka kafka, KafkaConnector orders, FakeConnector shipping) {
    return Bus.on(shop.store, shop.pool, shop.outbox, Shop.TYPES)
        .tracing(shop.tracing)
        .source(
            new KafkaSource(
                KafkaSourceConfig.from(
                        kafka.bootstrapServers(), EnvelopeReader.cloudEvents(), "orders")
                    .startAt(KafkaSourceConfig.Start.EARLIEST)
                    .client("metadata.max.age.ms", "1000")
                    .build()))
        .relay(
            shop.relay()
                .destination(Shop.to("orders", orders, "OrderPlaced"))
                .destination(Shop.to("shipping", shipping, "OrderPacked")))
        .build();
  }
}

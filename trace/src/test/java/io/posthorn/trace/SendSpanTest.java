package io.posthorn.trace;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.testkit.FakeConnector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of attempts to send, recorded by running relays. */
class SendSpanTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String OWN = "00-" + TRACE + "-b7ad6b7169203331-01";

  private Shop shop = new Shop();
  private final FakeConnector mail = FakeConnector.acking();

  @AfterEach
  void stop() {
    shop.close();
  }

  private Relay start() {
    return shop.relay().destination(Shop.to("mail", mail, "OrderPlaced")).build().start();
  }

  @Test
  void each_attempt_is_a_span_and_the_failed_ones_tell_the_reason_s_code_and_no_more() {
    AtomicInteger calls = new AtomicInteger();
    Reason refused = Reason.of("HTTP_503", "the body was {\"card\":\"4711-secret\"}");
    mail.outcome(
        m -> calls.incrementAndGet() < 3 ? Outcome.failedByMessage(refused) : Outcome.SENT);
    try (Relay relay = start()) {
      assertThat(relay).isNotNull();
      SpanContext business = shop.place(Shop.order("OrderPlaced", "1"));
      List<SpanData> spans = shop.await("send mail", 3);

      assertThat(spans).extracting(SpanData::getTraceId).containsOnly(business.getTraceId());
      assertThat(spans).extracting(SpanData::getParentSpanId).containsOnly(business.getSpanId());
      assertThat(spans)
          .extracting(span -> span.getAttributes().get(longKey("posthorn.attempt")))
          .containsExactly(1L, 2L, 3L);
      assertThat(spans)
          .extracting(span -> span.getAttributes().get(stringKey("error.type")))
          .containsExactly("HTTP_503", "HTTP_503", null);
      assertThat(spans)
          .extracting(span -> span.getStatus().getStatusCode())
          .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
      // These texts consist of letters, because four digits could be part of any id.
      assertThat(spans.toString()).doesNotContain("secret", "card");
      assertThat(mail.received())
          .extracting(message -> message.headers().get(Headers.TRACEPARENT))
          .containsExactlyElementsOf(spans.stream().map(SendSpanTest::traceparent).toList());
    }
  }

  @Test
  void an_attempt_that_is_never_answered_is_a_span_too() {
    mail.reply(message -> FakeConnector.Reply.never());
    Destination impatient =
        Destination.named("mail", mail)
            .types("OrderPlaced")
            .sendTimeout(Duration.ofMillis(300))
            .build();
    try (Relay relay = shop.relay().destination(impatient).build().start()) {
      assertThat(relay).isNotNull();
      shop.place(Shop.order("OrderPlaced", "1"));
      SpanData span = shop.await("send mail", 1).get(0);
      assertThat(span.getAttributes().get(stringKey("error.type"))).isEqualTo(Reason.TIMEOUT);
      assertThat(span.getEndEpochNanos() - span.getStartEpochNanos())
          .isGreaterThan(Duration.ofMillis(250).toNanos());
    }
  }

  @Test
  void a_message_that_has_a_context_of_its_own_keeps_it() {
    try (Relay relay = start()) {
      assertThat(relay).isNotNull();
      shop.place(Message.of("OrderPlaced").header(Headers.TRACEPARENT, OWN).build());
      SpanData span = shop.await("send mail", 1).get(0);
      assertThat(span.getTraceId()).isEqualTo(TRACE);
      assertThat(span.getParentSpanId()).isEqualTo("b7ad6b7169203331");
    }
  }

  @Test
  void nonsense_in_place_of_a_context_begins_a_new_trace() {
    try (Relay relay = start()) {
      assertThat(relay).isNotNull();
      shop.add(Message.of("OrderPlaced").header(Headers.TRACEPARENT, "nonsense").build());
      SpanData span = shop.await("send mail", 1).get(0);
      assertThat(span.getParentSpanContext().isValid()).isFalse();
      assertThat(received().get(Headers.TRACEPARENT)).isEqualTo(traceparent(span));
    }
  }

  @Test
  void a_trace_that_is_not_sampled_goes_on_without_spans() {
    shop.close();
    shop = new Shop(Sampler.alwaysOff());
    try (Relay relay = start()) {
      assertThat(relay).isNotNull();
      SpanContext business = shop.place(Shop.order("OrderPlaced", "1"));
      assertThat(received().get(Headers.TRACEPARENT))
          .startsWith("00-" + business.getTraceId())
          .matches(".*-0[02]"); // the last bit means: sampled
      assertThat(shop.spans.getFinishedSpanItems()).isEmpty();
    }
  }

  @Test
  void without_an_sdk_a_stored_context_is_passed_on_as_it_is() {
    OpenTelemetryTracing idle = OpenTelemetryTracing.on(OpenTelemetry.noop());
    Relay.Builder relay =
        shop.relay().tracing(idle).destination(Shop.to("mail", mail, "OrderPlaced"));
    try (Relay running = relay.build().start()) {
      assertThat(running).isNotNull();
      shop.add(
          Message.of("OrderPlaced")
              .header(Headers.TRACEPARENT, OWN)
              .header(Headers.TRACESTATE, "x=1")
              .build());
      assertThat(received())
          .containsEntry(Headers.TRACEPARENT, OWN)
          .containsEntry(Headers.TRACESTATE, "x=1");
    }
  }

  @Test
  void baggage_is_not_stored() {
    try (Relay relay = start();
        Scope scope = Baggage.builder().put("user", "someone@example.org").build().makeCurrent()) {
      assertThat(relay).isNotNull();
      assertThat(scope).isNotNull();
      shop.place(Shop.order("OrderPlaced", "1"));
      assertThat(received())
          .containsOnlyKeys(Headers.TRACEPARENT, Headers.CORRELATION_ID)
          .doesNotContainValue("someone@example.org");
    }
  }

  @Test
  void a_handler_in_process_goes_on_with_the_trace() {
    InProcess handlers =
        InProcess.handlers()
            .tracing(shop.tracing)
            .on("OrderPlaced", message -> shop.add(Message.of("OrderPacked").build()))
            .build();
    Relay.Builder relay =
        shop.relay()
            .destination(Shop.to("packing", handlers, "OrderPlaced"))
            .destination(Shop.to("mail", mail, "OrderPacked"));
    try (handlers;
        Relay running = relay.build().start()) {
      assertThat(running).isNotNull();
      SpanContext business = shop.place(Shop.order("OrderPlaced", "1"));
      SpanData handled = shop.await("process packing", 1).get(0);
      SpanData sentOn = shop.await("send mail", 1).get(0);
      assertThat(sentOn.getTraceId()).isEqualTo(business.getTraceId());
      assertThat(sentOn.getParentSpanId()).isEqualTo(handled.getSpanId());
    }
  }

  @Test
  void an_outbox_without_tracing_stores_no_context() {
    Outbox plain = Outbox.on(shop.store, Shop.TYPES).build();
    Message message = Shop.order("OrderPlaced", "1");
    assertThat(plain.traced(message)).isSameAs(message);
  }

  private Map<String, String> received() {
    return await()
        .atMost(Duration.ofSeconds(30))
        .until(mail::received, messages -> !messages.isEmpty())
        .get(0)
        .headers();
  }

  private static String traceparent(SpanData span) {
    return Shop.traceparent(span);
  }
}

package io.posthorn.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.trace.Tracing;
import java.util.Map;

/**
 * Records one trace from the business transaction, through every attempt to send its message, to
 * the handlers and the messages that they add. Pass it to the program's outbox, relay and bus:
 *
 * <pre>{@code
 * Tracing tracing = OpenTelemetryTracing.on(openTelemetry);
 * Outbox outbox = Outbox.on(store, types).tracing(tracing).build();
 * Relay.Builder relay = Relay.on(store, "shop", "production").tracing(tracing)...
 * }</pre>
 *
 * <p>Spans have the names and attributes of OpenTelemetry's conventions for messaging. They contain
 * the message's id and the code of a failure, but no payload, no header and no error text.
 */
public final class OpenTelemetryTracing implements Tracing {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> OPERATION_NAME =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> CONSUMER =
      AttributeKey.stringKey("messaging.consumer.group.name");
  private static final AttributeKey<String> MESSAGE_ID =
      AttributeKey.stringKey("messaging.message.id");
  private static final AttributeKey<String> CONVERSATION =
      AttributeKey.stringKey("messaging.message.conversation_id");
  private static final AttributeKey<Long> BODY_SIZE =
      AttributeKey.longKey("messaging.message.body.size");
  private static final AttributeKey<String> TYPE = AttributeKey.stringKey("posthorn.type");
  private static final AttributeKey<String> KEY = AttributeKey.stringKey("posthorn.key");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("posthorn.attempt");

  private final Tracer tracer;

  private OpenTelemetryTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  public static OpenTelemetryTracing on(OpenTelemetry telemetry) {
    return new OpenTelemetryTracing(telemetry.getTracer("io.posthorn"));
  }

  @Override
  public Map<String, String> current() {
    return TraceHeaders.of(Context.current());
  }

  @Override
  public Span sending(String destination, Message message, int attempt) {
    return OpenSpan.begin(
        span("send", destination, message, attempt)
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(DESTINATION, destination),
        message,
        false);
  }

  @Override
  public Span handling(String consumer, Message message, int attempt) {
    return OpenSpan.begin(
        span("process", consumer, message, attempt)
            .setSpanKind(SpanKind.CONSUMER)
            .setAttribute(CONSUMER, consumer),
        message,
        true);
  }

  private SpanBuilder span(String operation, String where, Message message, int attempt) {
    SpanBuilder span =
        tracer
            .spanBuilder(operation + " " + where)
            .setAttribute(SYSTEM, "posthorn")
            .setAttribute(OPERATION_NAME, operation)
            .setAttribute(OPERATION_TYPE, operation)
            .setAttribute(MESSAGE_ID, message.id().toString())
            .setAttribute(BODY_SIZE, (long) message.payload().length)
            .setAttribute(TYPE, message.type())
            .setAttribute(ATTEMPT, (long) attempt);
    Key key = message.key();
    if (key != null) {
      span.setAttribute(KEY, key.toString());
    }
    String correlation = message.headers().get(Headers.CORRELATION_ID);
    return correlation == null ? span : span.setAttribute(CONVERSATION, correlation);
  }
}

package io.posthorn.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts a trace context to message headers and back.
 *
 * <p>The format is always W3C trace context, whatever the program propagates elsewhere: it is what
 * is stored, what CloudEvents carry and what every reader knows. Baggage is not stored, because it
 * belongs to the request alone and may contain anything.
 */
final class TraceHeaders {
  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

  private static final TextMapGetter<Map<String, String>> GETTER =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
          return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
          return headers == null ? null : headers.get(name);
        }
      };

  private TraceHeaders() {}

  /** Returns the context as headers; empty if there is no span. */
  static Map<String, String> of(Context context) {
    if (!Span.fromContext(context).getSpanContext().isValid()) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>();
    W3C.inject(context, headers, Map::put);
    return headers;
  }

  /** Reads a context. Invalid headers, which foreign senders may send, are ignored. */
  static Context context(Map<String, String> headers) {
    return W3C.extract(Context.root(), headers, GETTER);
  }
}

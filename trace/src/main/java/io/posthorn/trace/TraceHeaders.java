package io.posthorn.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A context as headers, and back. It is W3C trace context whatever the program propagates
 * elsewhere: that is what is stored, what CloudEvents carry and what every reader knows. Baggage is
 * nobody's business but the request's, and may hold anything: it is not stored.
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

  /** Empty if there is no span. */
  static Map<String, String> of(Context context) {
    if (!Span.fromContext(context).getSpanContext().isValid()) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>();
    W3C.inject(context, headers, Map::put);
    return headers;
  }

  /** Headers that make no sense, which strangers may send, are none. */
  static Context context(Map<String, String> headers) {
    return W3C.extract(Context.root(), headers, GETTER);
  }
}

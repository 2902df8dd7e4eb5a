package io.posthorn.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.posthorn.core.message.Message;
import io.posthorn.core.trace.Tracing;
import java.util.Map;

/** A span that has started and not yet ended. */
final class OpenSpan implements Tracing.Span {
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private final Span span;
  private final Context context;
  private final Scope scope;
  private boolean ended;

  private OpenSpan(Span span, Context context, Scope scope) {
    this.span = span;
    this.context = context;
    this.scope = scope;
  }

  /** Starts a span below the message's context; if {@code here}, also makes it this thread's. */
  @SuppressWarnings("MustBeClosedChecker") // the end of the span closes it
  static OpenSpan begin(SpanBuilder builder, Message message, boolean here) {
    Context parent = TraceHeaders.context(message.headers());
    Span span = builder.setParent(parent).startSpan();
    Context context = parent.with(span);
    return new OpenSpan(span, context, here ? context.makeCurrent() : Scope.noop());
  }

  @Override
  public Map<String, String> context() {
    return TraceHeaders.of(context);
  }

  @Override
  public void succeeded() {
    end();
  }

  @Override
  public void failed(String reasonCode) {
    if (!ended) {
      span.setAttribute(ERROR, reasonCode).setStatus(StatusCode.ERROR, reasonCode);
      end();
    }
  }

  private void end() {
    if (!ended) {
      ended = true;
      scope.close();
      span.end();
    }
  }
}

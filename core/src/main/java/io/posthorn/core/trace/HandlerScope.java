package io.posthorn.core.trace;

import io.posthorn.core.message.Message;

/**
 * One call of a handler on this thread: until it is closed, the thread works in the trace of the
 * message, and the MDC holds the fields that name the message.
 */
public final class HandlerScope implements AutoCloseable {
  private final Tracing.Span span;

  private HandlerScope(Tracing.Span span) {
    this.span = span;
  }

  /**
   * Opens the scope on this thread.
   *
   * @param attempt from 1
   */
  public static HandlerScope open(Tracing tracing, String consumer, Message message, int attempt) {
    LogFields.enter(consumer, message, message.correlationId(), attempt);
    return new HandlerScope(tracing.handling(consumer, message, attempt));
  }

  /** Whether a trace records this call, so that its outcome is worth computing. */
  public boolean isTraced() {
    return span != Tracing.Span.NONE;
  }

  /** Ends the span: the handler has returned. */
  public void succeeded() {
    span.succeeded();
  }

  /** Ends the span: the handler has failed, with this reason code. */
  public void failed(String reasonCode) {
    span.failed(reasonCode);
  }

  /** Removes the message's fields from the MDC. */
  @Override
  public void close() {
    LogFields.leave();
  }
}

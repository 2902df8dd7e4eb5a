package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.trace.LogFields;
import io.posthorn.core.trace.Tracing;

/** Calls handlers, each in the trace of its message and with its fields in the MDC. */
final class HandlerCalls {
  private final String consumer;
  private final Handlers handlers;
  private final Classifier classifier;
  private final Tracing tracing;

  HandlerCalls(String consumer, Handlers handlers, Classifier classifier, Tracing tracing) {
    this.consumer = consumer;
    this.handlers = handlers;
    this.classifier = classifier;
    this.tracing = tracing;
  }

  void call(Handling handling) throws Exception {
    LogFields.enter(consumer, handling.message(), handling.correlationId(), handling.attempt());
    Tracing.Span span = tracing.handling(consumer, handling.message(), handling.attempt());
    try {
      handlers.handle(handling);
      span.succeeded();
    } catch (Throwable e) {
      if (span != Tracing.Span.NONE) {
        span.failed(code(e));
      }
      throw e;
    } finally {
      LogFields.leave();
    }
  }

  private String code(Throwable thrown) {
    Reason reason = classifier.classify(thrown).reason();
    return reason == null ? Reason.UNKNOWN : reason.code();
  }
}

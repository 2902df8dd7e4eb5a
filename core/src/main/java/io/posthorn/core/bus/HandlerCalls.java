package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.trace.HandlerScope;
import io.posthorn.core.trace.Tracing;

/** Calls handlers, each in the trace of its message and with the message's fields in the MDC. */
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
    try (HandlerScope scope =
        HandlerScope.open(tracing, consumer, handling.message(), handling.attempt())) {
      try {
        handlers.handle(handling);
        scope.succeeded();
      } catch (Throwable e) {
        if (scope.isTraced()) {
          scope.failed(code(e));
        }
        throw e;
      }
    }
  }

  private String code(Throwable thrown) {
    Reason reason = classifier.classify(thrown).reason();
    return reason == null ? Reason.UNKNOWN : reason.code();
  }
}

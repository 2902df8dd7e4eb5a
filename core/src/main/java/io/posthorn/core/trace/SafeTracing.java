package io.posthorn.core.trace;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wraps an application's tracing so that it cannot stop a transaction, a delivery or a handler. */
public final class SafeTracing implements Tracing {
  private static final Logger LOG = LoggerFactory.getLogger(SafeTracing.class);

  private final Tracing tracing;
  private final AtomicBoolean logged = new AtomicBoolean();

  private SafeTracing(Tracing tracing) {
    this.tracing = tracing;
  }

  /** Wraps the tracing. {@link #NONE} and a wrapped tracing are returned unchanged. */
  public static Tracing of(Tracing tracing) {
    return tracing == NONE || tracing instanceof SafeTracing ? tracing : new SafeTracing(tracing);
  }

  @Override
  public Map<String, String> current() {
    return guarded(tracing::current, Map.of());
  }

  @Override
  public Span sending(String destination, Message message, int attempt) {
    return span(() -> tracing.sending(destination, message, attempt));
  }

  @Override
  public Span handling(String consumer, Message message, int attempt) {
    return span(() -> tracing.handling(consumer, message, attempt));
  }

  private Span span(Supplier<Span> begun) {
    Span span = guarded(begun, Span.NONE);
    return span == Span.NONE ? span : new GuardedSpan(span);
  }

  private <T> T guarded(Supplier<T> call, T otherwise) {
    try {
      return call.get();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      // Only once, because tracing is called for every message.
      if (logged.compareAndSet(false, true)) {
        LOG.warn("Tracing failed; messages are delivered without it", Sanitiser.clean(e));
      }
      return otherwise;
    }
  }

  private final class GuardedSpan implements Span {
    private final Span span;

    GuardedSpan(Span span) {
      this.span = span;
    }

    @Override
    public Map<String, String> context() {
      return guarded(span::context, Map.of());
    }

    @Override
    public void succeeded() {
      guarded(
          () -> {
            span.succeeded();
            return true;
          },
          false);
    }

    @Override
    public void failed(String reasonCode) {
      guarded(
          () -> {
            span.failed(reasonCode);
            return true;
          },
          false);
    }
  }
}

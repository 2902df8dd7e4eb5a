package io.posthorn.core.trace;

import io.posthorn.core.message.Message;
import java.util.Map;

/**
 * Follows a message from the transaction that added it, through every attempt to send it, to its
 * handlers and the messages that these add. It is called for each message, so it must return soon.
 * An exception is logged and stops nothing.
 */
public interface Tracing {
  /** No tracing. */
  Tracing NONE =
      new Tracing() {
        @Override
        public Map<String, String> current() {
          return Map.of();
        }

        @Override
        public Span sending(String destination, Message message, int attempt) {
          return Span.NONE;
        }

        @Override
        public Span handling(String consumer, Message message, int attempt) {
          return Span.NONE;
        }
      };

  /**
   * The trace context of the current thread, as the headers {@code traceparent} and {@code
   * tracestate}; empty if there is none. The outbox stores it with each message.
   */
  Map<String, String> current();

  /**
   * Starts a span when a connector is given the message. The span may end on another thread.
   *
   * @param attempt from 1
   */
  Span sending(String destination, Message message, int attempt);

  /**
   * Starts a span when a handler is called on this thread. The thread works in the span's context
   * until the span ends.
   *
   * @param attempt from 1
   */
  Span handling(String consumer, Message message, int attempt);

  /** One attempt. The first call of {@link #succeeded} or {@link #failed} ends it. */
  interface Span {
    /** Records nothing. */
    Span NONE =
        new Span() {
          @Override
          public Map<String, String> context() {
            return Map.of();
          }

          @Override
          public void succeeded() {}

          @Override
          public void failed(String reasonCode) {}
        };

    /** The headers to send with the message; empty to keep those that it has. */
    Map<String, String> context();

    /** Ends the span: the message was sent or handled. */
    void succeeded();

    /** Ends the span: the attempt failed. It takes only the code, as error texts may quote data. */
    void failed(String reasonCode);
  }
}

package io.posthorn.core.trace;

import io.posthorn.core.message.Message;
import java.util.Map;

/**
 * Follows messages from the transaction that added them, through every attempt to send them, to
 * their handlers and what those add. Called for each message: return soon. What is thrown stops
 * nothing.
 */
public interface Tracing {
  /** Follows nothing, and costs nothing. */
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
   * The trace context that this thread works in, as the headers {@code traceparent} and {@code
   * tracestate}; empty if there is none. It is stored with the messages that are added.
   */
  Map<String, String> current();

  /**
   * A connector is being given the message. The span may end on another thread.
   *
   * @param attempt from 1
   */
  Span sending(String destination, Message message, int attempt);

  /**
   * A handler is being called on this thread, which works in the span's context until its end.
   *
   * @param attempt from 1
   */
  Span handling(String consumer, Message message, int attempt);

  /** One attempt. It ends once; a second end is ignored. */
  interface Span {
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

    /** What the message takes along, as headers; empty = what it has already. */
    Map<String, String> context();

    void succeeded();

    /** The code and nothing else: texts of errors may quote what is in a message. */
    void failed(String reasonCode);
  }
}

package io.posthorn.core.message;

/** The names of the headers that Posthorn itself knows. Any other name is the application's own. */
public final class Headers {
  public static final String CORRELATION_ID = "correlation-id";

  /** Messages are found by it, and what is found by an index must be short. */
  public static final int LONGEST_CORRELATION_ID = 255;

  public static final String CAUSATION_ID = "causation-id";

  /** W3C trace context. */
  public static final String TRACEPARENT = "traceparent";

  /** W3C trace context. */
  public static final String TRACESTATE = "tracestate";

  /**
   * Who sent a received message that a relay hands over; nobody else sees it. See {@code Received}.
   */
  public static final String SENDER = "posthorn-sender";

  /**
   * What of a message could not be read any more: only a dead letter has it, and no relay hands
   * over a message with it.
   */
  public static final String UNREADABLE = "posthorn-unreadable";

  private Headers() {}
}

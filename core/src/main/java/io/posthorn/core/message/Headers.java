package io.posthorn.core.message;

/**
 * The names of the headers that Posthorn itself reads or writes. Every other name belongs to the
 * application.
 */
public final class Headers {
  /** The id that a message shares with everything that follows from it. */
  public static final String CORRELATION_ID = "correlation-id";

  /** The most characters of a correlation id: messages are looked up by it, so it is indexed. */
  public static final int LONGEST_CORRELATION_ID = 255;

  /** The id of the message that directly caused this one. */
  public static final String CAUSATION_ID = "causation-id";

  /** The trace and span of a message, as W3C Trace Context defines them. */
  public static final String TRACEPARENT = "traceparent";

  /** The vendor-specific part of a W3C Trace Context. */
  public static final String TRACESTATE = "tracestate";

  /**
   * The sender of a received message that a relay hands to a handler. Handlers and receivers never
   * see this header; see {@code Received}.
   */
  public static final String SENDER = "posthorn-sender";

  /**
   * The parts of a message that could not be read from its row. Only dead letters have this header,
   * and a relay never delivers a message that has it.
   */
  public static final String UNREADABLE = "posthorn-unreadable";

  private Headers() {}
}

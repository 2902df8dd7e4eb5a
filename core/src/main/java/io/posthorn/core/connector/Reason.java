package io.posthorn.core.connector;

import io.posthorn.core.error.Sanitiser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/**
 * Why something failed: a stable code for programs and rankings, a sentence for people, and the
 * stack trace where there is one. Texts are cut to a bound and cleaned of credentials before they
 * are kept.
 */
public record Reason(String code, String text, @Nullable String stack) {
  public static final String VALIDATION_ERROR = "VALIDATION_ERROR";
  public static final String SCHEMA_MISMATCH = "SCHEMA_MISMATCH";
  public static final String REJECTED = "REJECTED";
  public static final String TRANSIENT_NETWORK = "TRANSIENT_NETWORK";
  public static final String TIMEOUT = "TIMEOUT";
  public static final String RETRY_EXHAUSTED = "RETRY_EXHAUSTED";
  public static final String NO_ROUTE = "NO_ROUTE";
  public static final String EXPIRED = "EXPIRED";
  public static final String UNSERVED = "UNSERVED";
  public static final String UNKNOWN = "UNKNOWN";

  /** Its id is that of another message, which was received before or is parked. */
  public static final String ID_REUSED = "ID_REUSED";

  /** Received: whether it was handled before is not known any more. */
  public static final String OUT_OF_HORIZON = "OUT_OF_HORIZON";

  /** The receiver cannot be reached. */
  public static final String UNREACHABLE = "UNREACHABLE";

  /** The receiver does not let this program in, or not to this address. */
  public static final String ACCESS_DENIED = "ACCESS_DENIED";

  /** The receiver has no such address: topic, queue, path. */
  public static final String NO_ADDRESS = "NO_ADDRESS";

  /** The message lacks what its address is made of, or the address it makes is none. */
  public static final String INVALID_ADDRESS = "INVALID_ADDRESS";

  /** A header cannot be carried to this receiver. */
  public static final String INVALID_HEADER = "INVALID_HEADER";

  /** The receiver does not take messages of this size. */
  public static final String TOO_LARGE = "TOO_LARGE";

  /** A consumer has no handler for the type. */
  public static final String UNKNOWN_TYPE = "UNKNOWN_TYPE";

  /**
   * The database refused the message's row, or what was to be noted of it: nothing about the
   * receiver.
   */
  public static final String STORE_REFUSED = "STORE_REFUSED";

  private static final int CODE = 100;
  private static final int TEXT = 2_000;
  private static final int STACK = 16_000;

  public Reason {
    // A handler may have taken it from the message.
    code = code.isBlank() ? UNKNOWN : Sanitiser.clean(code, CODE);
    text = Sanitiser.clean(text, TEXT);
    stack = stack == null ? null : Sanitiser.clean(stack, STACK);
  }

  public static Reason of(String code, String text) {
    return new Reason(code, text, null);
  }

  public static Reason of(String code, Throwable cause) {
    return new Reason(code, text(cause), trace(cause));
  }

  private static String text(Throwable cause) {
    String name = cause.getClass().getSimpleName();
    String message = Sanitiser.text(cause);
    return message.equals(name) ? name : name + ": " + message;
  }

  private static String trace(Throwable cause) {
    StringWriter trace = new StringWriter();
    try {
      // Cleaned while it is an exception: a text does not say which database error it quotes.
      Sanitiser.clean(cause).printStackTrace(new PrintWriter(trace));
    } catch (RuntimeException | Error e) {
      trace.append("(the rest cannot be told)");
    }
    return trace.toString();
  }
}

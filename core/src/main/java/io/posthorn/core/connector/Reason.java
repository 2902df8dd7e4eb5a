package io.posthorn.core.connector;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Why something failed: a stable code for programs and rankings, a sentence for people, and a stack
 * trace if there is one. Texts are shortened and cleaned of credentials before they are stored.
 *
 * @param code one of the constants here, or a code of your own; at most 100 characters
 * @param text at most 2,000 characters
 * @param stack at most 16,000 characters
 */
public record Reason(String code, String text, @Nullable String stack) {
  /** The message does not satisfy the rules for messages. */
  public static final String VALIDATION_ERROR = "VALIDATION_ERROR";

  /** The payload cannot be read as the class or schema of its type. */
  public static final String SCHEMA_MISMATCH = "SCHEMA_MISMATCH";

  /** The receiver refused the message for good. */
  public static final String REJECTED = "REJECTED";

  /** The network failed during the attempt. */
  public static final String TRANSIENT_NETWORK = "TRANSIENT_NETWORK";

  /** No answer came in time. */
  public static final String TIMEOUT = "TIMEOUT";

  /** All attempts that the retry policy allows have failed. */
  public static final String RETRY_EXHAUSTED = "RETRY_EXHAUSTED";

  /** No route wanted the message's type during the whole grace. */
  public static final String NO_ROUTE = "NO_ROUTE";

  /** The message is older than its destination allows, and was not sent. */
  public static final String EXPIRED = "EXPIRED";

  /** No program has the code for the message's type, or the code cannot run now. */
  public static final String UNSERVED = "UNSERVED";

  /** Nothing more is known. */
  public static final String UNKNOWN = "UNKNOWN";

  /** The message's id belongs to another message that was received before or is parked. */
  public static final String ID_REUSED = "ID_REUSED";

  /** The received message is so old that it is unknown whether it was handled before. */
  public static final String OUT_OF_HORIZON = "OUT_OF_HORIZON";

  /** The receiver cannot be reached. */
  public static final String UNREACHABLE = "UNREACHABLE";

  /** The receiver denies this program access, as a whole or to this address. */
  public static final String ACCESS_DENIED = "ACCESS_DENIED";

  /** The receiver has no such address: no such topic, queue or path. */
  public static final String NO_ADDRESS = "NO_ADDRESS";

  /** The message lacks a part of its address, or the resulting address is invalid. */
  public static final String INVALID_ADDRESS = "INVALID_ADDRESS";

  /** A header cannot be sent to this receiver. */
  public static final String INVALID_HEADER = "INVALID_HEADER";

  /** The receiver does not accept messages of this size. */
  public static final String TOO_LARGE = "TOO_LARGE";

  /** A consumer has no handler for the type. */
  public static final String UNKNOWN_TYPE = "UNKNOWN_TYPE";

  /** The database refused the message's row or its progress. The receiver is not at fault. */
  public static final String STORE_REFUSED = "STORE_REFUSED";

  private static final int CODE = 100;
  private static final int TEXT = 2_000;
  private static final int STACK = 16_000;

  public Reason {
    // A handler may have copied the code from the message.
    code = code.isBlank() ? UNKNOWN : Sanitiser.clean(code, CODE);
    text = Sanitiser.clean(text, TEXT);
    stack = stack == null ? null : Sanitiser.clean(stack, STACK);
  }

  /** A reason without a stack trace. */
  public static Reason of(String code, String text) {
    return new Reason(code, text, null);
  }

  /** A reason with the name, the message and the stack trace of an exception. */
  public static Reason of(String code, Throwable cause) {
    return new Reason(code, text(cause), trace(cause));
  }

  /**
   * The simple name of the exception's class, which is the reason code of an exception that nothing
   * more is known about. An exception that only wraps what a method or task threw has the name of
   * that.
   */
  public static String nameOf(Throwable thrown) {
    List<Throwable> causes = Causes.of(thrown);
    int wrappers = 0;
    while (wrappers < causes.size() - 1 && isWrapper(causes.get(wrappers))) {
      wrappers++;
    }
    return nameOf(causes.get(wrappers).getClass());
  }

  private static String nameOf(Class<?> type) {
    String name = type.getSimpleName();
    Class<?> parent = type.getSuperclass();
    // An anonymous class has no name.
    return name.isEmpty() && parent != null ? nameOf(parent) : name;
  }

  private static boolean isWrapper(Throwable thrown) {
    return thrown instanceof InvocationTargetException
        || thrown instanceof UndeclaredThrowableException
        || thrown instanceof ExecutionException
        || thrown instanceof CompletionException;
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
      trace.append("(the rest of the stack trace is missing: printing it failed)");
    }
    return trace.toString();
  }
}

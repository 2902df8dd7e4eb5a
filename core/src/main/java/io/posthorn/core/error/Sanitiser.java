package io.posthorn.core.error;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes what must neither be kept nor logged from texts that others wrote: credentials, and the
 * values of rows and payloads that databases and libraries quote. What they are about stays: codes,
 * names of classes, constraints, columns and settings.
 *
 * <p>Only what can be recognised is removed. The work is linear in the length of the text, of which
 * no more than {@link #MOST} characters are looked at.
 */
public final class Sanitiser {
  /** Characters. What is behind them is not kept at all. */
  static final int MOST = 64 * 1024;

  /** A word of this length that was cut may be a secret that cannot be recognised any more. */
  private static final int CUT_WORD = 512;

  /** In this order: what is a secret in any text, then what each database and library quotes. */
  static final List<Rule> RULES =
      Stream.of(List.of(CredentialRules.ALL, PostgresqlRules.ALL), QuotedValueRules.ALL)
          .flatMap(List::stream)
          .flatMap(List::stream)
          .toList();

  private Sanitiser() {}

  public static String clean(String text) {
    // PostgreSQL cannot store the zero character.
    CharSequence cleaned = shortened(text, MOST).replace('\u0000', ' ');
    for (Rule rule : RULES) {
      cleaned = rule.apply(cleaned);
    }
    return cleaned.toString();
  }

  /** The same, and no more than so many characters of it. */
  public static String clean(String text, int limit) {
    // Cut before, so that what is thrown away costs nothing, and not too short: *** is shorter than
    // what it replaces.
    long enough = Math.max(4L * limit, limit + 2L * CUT_WORD);
    String cleaned = clean(shortened(text, (int) Math.min(MOST, enough)));
    return cleaned.length() <= limit ? cleaned : cleaned.substring(0, limit - 1) + "…";
  }

  /** Without the last word if it is cut: the half of an address does not look like one. */
  private static String shortened(String text, int limit) {
    if (text.length() <= limit) {
      return text;
    }
    int end = limit - 1;
    int least = Math.max(0, end - CUT_WORD);
    while (end > least && text.charAt(end - 1) > ' ') {
      end--;
    }
    return text.substring(0, end) + "…";
  }

  /** The value of a header; nothing of it if its name says that it is a secret. */
  public static String header(String name, String value) {
    return CredentialRules.isSecret(name) ? Rule.REMOVED : clean(value);
  }

  /** What is told of it in a sentence. */
  public static String text(Throwable thrown) {
    String name = thrown.getClass().getSimpleName();
    try {
      String message = thrown.getMessage();
      return message == null ? name : clean(message);
    } catch (RuntimeException | Error e) {
      return name;
    }
  }

  /** The same with its causes and their stack traces, for logs: others wrote the texts. */
  public static Throwable clean(Throwable thrown) {
    return new Cleaned(thrown, 0);
  }

  private static final class Cleaned extends Exception {
    private static final long serialVersionUID = 1L;

    /** Causes may go round in a circle. */
    private static final int DEEPEST = 20;

    Cleaned(Throwable thrown, int depth) {
      super(clean(described(thrown)), cause(thrown, depth), true, true);
      setStackTrace(thrown.getStackTrace());
      if (depth < DEEPEST) {
        for (Throwable suppressed : thrown.getSuppressed()) {
          addSuppressed(new Cleaned(suppressed, DEEPEST));
        }
      }
    }

    private static String described(Throwable thrown) {
      try {
        return String.valueOf(thrown);
      } catch (RuntimeException | Error e) {
        return thrown.getClass().getName();
      }
    }

    private static @Nullable Throwable cause(Throwable thrown, int depth) {
      Throwable cause = thrown.getCause();
      return cause == null || depth >= DEEPEST ? null : new Cleaned(cause, depth + 1);
    }

    /** As the original would be printed, which begins with its own class. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }
}

package io.posthorn.core.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes from texts that others wrote what must be neither kept nor logged: credentials, and the
 * values of rows and payloads that databases and libraries quote. The sanitiser keeps what helps to
 * find the fault: codes, and the names of classes, constraints, columns and settings.
 *
 * <p>The sanitiser removes only what one of its rules recognises. Core has the rules for
 * credentials, libraries and SQL in general; each store adds the {@link SanitiserRules} of its
 * database. The work is linear in the length of the text, and text beyond {@link #MOST} characters
 * is dropped.
 */
public final class Sanitiser {
  /** The most characters of a text that are read and kept. */
  static final int MOST = 64 * 1024;

  /** Up to this length, a word that was cut is dropped: half a secret looks like none. */
  private static final int CUT_WORD = 512;

  private Sanitiser() {}

  /**
   * Adds the rules of a database, for all texts from now on. Rules of the same class are added
   * once.
   */
  public static void add(SanitiserRules rules) {
    ActiveRules.add(rules);
  }

  /** The text without credentials and quoted values. */
  public static String clean(String text) {
    return apply(ActiveRules.all(), text);
  }

  /** The text after these rules; if one of them fails, nothing of the text. */
  static String apply(List<Rule> rules, String text) {
    // Not every database can store the zero character.
    CharSequence cleaned = shortened(text, MOST).replace('\u0000', ' ');
    try {
      for (Rule rule : rules) {
        cleaned = rule.apply(cleaned);
      }
      return cleaned.toString();
    } catch (RuntimeException | StackOverflowError e) {
      return Rule.REMOVED;
    }
  }

  /** The cleaned text, cut to this many characters. */
  public static String clean(String text, int limit) {
    // The text is cut before it is cleaned, so that dropped text costs nothing. The cut leaves more
    // than the limit, because *** is shorter than what it replaces.
    long enough = Math.max(4L * limit, limit + 2L * CUT_WORD);
    String cleaned = clean(shortened(text, (int) Math.min(MOST, enough)));
    return cleaned.length() <= limit ? cleaned : cleaned.substring(0, limit - 1) + "…";
  }

  /** Cuts the text, and drops a word that the cut goes through: half an address looks like none. */
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

  /** The cleaned value of a header; *** if the header's name says that the value is a secret. */
  public static String header(String name, String value) {
    return CredentialRules.isSecret(name) ? Rule.REMOVED : clean(value);
  }

  /** The cleaned message of a failure, or the name of its class if it has no message. */
  public static String text(Throwable thrown) {
    String name = thrown.getClass().getSimpleName();
    try {
      String message = thrown.getMessage();
      return message == null ? name : ValueErrors.clean(thrown, message);
    } catch (RuntimeException | Error e) {
      return name;
    }
  }

  /** A copy of a failure for logs: its stack trace and its causes, with cleaned messages. */
  public static Throwable clean(Throwable thrown) {
    return new Cleaned(thrown, 0);
  }

  private static final class Cleaned extends Exception {
    private static final long serialVersionUID = 1L;

    /** Ends the chain where causes form a circle. */
    private static final int DEEPEST = 20;

    Cleaned(Throwable thrown, int depth) {
      super(ValueErrors.clean(thrown, described(thrown)), cause(thrown, depth), true, true);
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

    /** Prints like the original, whose text begins with the name of its own class. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }
}

package io.posthorn.core.error;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes what must neither be kept nor logged: credentials in addresses, settings and headers, and
 * row contents.
 */
public final class Sanitiser {
  // To the last @ of the host's part: passwords may have one.
  private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/\\s\"'<>]+@");
  // Longer names too: ssl.truststore.password, access_token, clientSecret.
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)((?:authorization|passw(?:or)?d|passphrase|secret|token|api[-_]?key)[\\w.-]{0,40}\"?\\s*[:=]\\s*)"
              + "(?:(?:bearer|basic|digest)\\s+)?(?:\"[^\"]*\"|'[^']*'|[^\\s\",;&)}\\]]+)");
  private static final Pattern SIGNING_KEY = Pattern.compile("\\bwhs(?:ec|k)_[\\w+/=-]+");
  // PostgreSQL quotes what was written: "Key (email)=(someone@example.org) already exists.",
  // "Failing row contains (1, someone@example.org).", "invalid input syntax for type uuid: "x"".
  private static final Pattern ROW_CONTENT =
      Pattern.compile(
          "(?<=\\)=\\()[^)]*(?=\\))"
              + "|(?<=Failing row contains \\()[^\n]*(?=\\))"
              + "|(?<=invalid input syntax for type )[^:\n]{1,60}: \"[^\n]*"
              + "|(?<=Token )\"[^\n]*(?= is invalid)"
              + "|(?<=JSON data, line \\d{1,9}: )[^\n]*");

  private Sanitiser() {}

  public static String clean(String text) {
    // PostgreSQL cannot store the zero character.
    String cleaned = text.replace('\u0000', ' ');
    cleaned = USER_INFO.matcher(cleaned).replaceAll("***@");
    cleaned = SECRET.matcher(cleaned).replaceAll("$1***");
    cleaned = SIGNING_KEY.matcher(cleaned).replaceAll("***");
    return ROW_CONTENT.matcher(cleaned).replaceAll("***");
  }

  /** The value of a header; nothing of it if its name says that it is a secret. */
  public static String header(String name, String value) {
    return SECRET.matcher(name + ": x").find() ? "***" : clean(value);
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

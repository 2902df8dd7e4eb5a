package io.posthorn.testservers;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Recognises a moment in a client's stream. TCP splits and joins messages arbitrarily, so a matcher
 * sees the stream in chunks of any size, and remembers what it needs between them.
 */
public interface StreamMatcher {
  /** Starts on one connection, with the first chunk after the fault was set. */
  Scan begin();

  /** What one connection's client has sent so far. */
  interface Scan {
    /** Returns whether the moment is reached with this chunk, the next one of the stream. */
    boolean reachedWith(byte[] chunk);
  }

  /**
   * The moment when the client has sent this word, in upper or lower case, even if it arrives in
   * parts.
   *
   * <p>With PostgreSQL, the text of a statement is not always on the wire: pgjdbc prepares a
   * statement on the server after five executions, {@code COMMIT} included, and from then on sends
   * only a name such as {@code S_1}. Connect with {@code prepareThreshold=0} to find the text each
   * time. TLS hides it altogether.
   */
  static StreamMatcher token(String ascii) {
    String token = ascii.toUpperCase(Locale.ROOT);
    return () -> new TokenScan(token);
  }

  /** The moment when the client sends anything at all. */
  static StreamMatcher anything() {
    return chunk(bytes -> true);
  }

  /** The first chunk that the predicate accepts; it sees each chunk alone. */
  static StreamMatcher chunk(Predicate<byte[]> predicate) {
    return () -> predicate::test;
  }

  /** Keeps the end of the stream that may be the beginning of the token. */
  final class TokenScan implements Scan {
    private final String token;
    private String past = "";

    private TokenScan(String token) {
      this.token = token;
    }

    @Override
    public boolean reachedWith(byte[] chunk) {
      String text = new String(chunk, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
      String seen = past + text;
      past = seen.substring(Math.max(0, seen.length() - token.length() + 1));
      return seen.contains(token);
    }
  }
}

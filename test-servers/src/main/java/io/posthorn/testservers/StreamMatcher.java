package io.posthorn.testservers;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Recognises a moment in what a client sends. TCP splits and joins messages as it likes, so a
 * matcher sees a stream in chunks of any size, and remembers between them what it has to.
 */
public interface StreamMatcher {
  /** Begins on one connection, with the first chunk after the fault was set. */
  Scan begin();

  /** What one connection's client has sent so far. */
  interface Scan {
    /** Whether the moment is reached with this chunk, the next one of the stream. */
    boolean reachedWith(byte[] chunk);
  }

  /**
   * The moment the client has sent this word, in upper or lower case, also when it comes in parts.
   *
   * <p>For PostgreSQL mind that the text of a statement is not always on the wire: pgjdbc prepares
   * on the server what it has run five times, {@code COMMIT} included, and from then on sends only
   * a name such as {@code S_1}. Connect with {@code prepareThreshold=0} to find the text each time.
   * TLS hides it altogether.
   */
  static StreamMatcher token(String ascii) {
    String token = ascii.toUpperCase(Locale.ROOT);
    return () -> new TokenScan(token);
  }

  /** The moment the client sends anything at all. */
  static StreamMatcher anything() {
    return chunk(bytes -> true);
  }

  /** The first chunk the predicate accepts; it sees each chunk alone. */
  static StreamMatcher chunk(Predicate<byte[]> predicate) {
    return () -> predicate::test;
  }

  /** Keeps as much of the past as could be the beginning of the token. */
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

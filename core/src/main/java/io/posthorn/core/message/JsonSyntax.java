package io.posthorn.core.message;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that bytes are one JSON value in UTF-8, so that they can be copied into another document
 * unchanged. A payload that only claims to be JSON must not break, or forge, the attributes around
 * it.
 */
public final class JsonSyntax {
  private static final int DEEPEST = 500;

  private final CharBuffer text;

  private JsonSyntax(CharBuffer text) {
    this.text = text;
  }

  /** Whether a content type means JSON: its subtype is json, or ends with +json. */
  public static boolean isNamedBy(String contentType) {
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    String lower = type.strip().toLowerCase(Locale.ROOT);
    return lower.endsWith("/json") || lower.endsWith("+json");
  }

  /** Whether the bytes are valid UTF-8 and exactly one JSON value, at most 500 levels deep. */
  public static boolean isValid(byte[] utf8) {
    CharBuffer text = decoded(utf8);
    if (text == null) {
      return false;
    }
    JsonSyntax syntax = new JsonSyntax(text);
    return syntax.value(0) && !text.hasRemaining();
  }

  /**
   * The members of one JSON object: each name, and its value as JSON with the white space around
   * it. Null if the bytes are anything else, or if a name occurs twice: another reader might take
   * the other value.
   */
  static @Nullable Map<String, String> members(byte[] utf8) {
    CharBuffer text = decoded(utf8);
    return text == null ? null : new JsonSyntax(text).members();
  }

  /** The same for text that is already decoded. */
  static @Nullable Map<String, String> members(String json) {
    // Reads an array faster than a wrapped string.
    return new JsonSyntax(CharBuffer.wrap(json.toCharArray())).members();
  }

  private static @Nullable CharBuffer decoded(byte[] utf8) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8));
    } catch (CharacterCodingException notUtf8) {
      return null;
    }
  }

  private @Nullable Map<String, String> members() {
    Map<String, String> members = new LinkedHashMap<>();
    space();
    if (!take('{')) {
      return null;
    }
    space();
    if (!take('}')) {
      do {
        space();
        int start = text.position();
        if (!name()) {
          return null;
        }
        String name = between(start, text.position() - 1).strip();
        int value = text.position();
        if (!value(1)
            || members.put(JsonText.unquote(name), between(value, text.position())) != null) {
          return null;
        }
      } while (take(','));
      if (!take('}')) {
        return null;
      }
    }
    space();
    return text.hasRemaining() ? null : members;
  }

  private String between(int start, int end) {
    return text.duplicate().position(start).limit(end).toString();
  }

  /** Reads a value and the white space around it. */
  private boolean value(int depth) {
    space();
    boolean valid =
        switch (peek()) {
          case '{' -> depth < DEEPEST && container('{', '}', depth);
          case '[' -> depth < DEEPEST && container('[', ']', depth);
          case '"' -> string();
          case 't' -> word("true");
          case 'f' -> word("false");
          case 'n' -> word("null");
          default -> number();
        };
    space();
    return valid;
  }

  private boolean container(char open, char close, int depth) {
    take(open);
    space();
    if (take(close)) {
      return true;
    }
    do {
      if (open == '{' && !name()) {
        return false;
      }
      if (!value(depth + 1)) {
        return false;
      }
    } while (take(','));
    return take(close);
  }

  private boolean name() {
    space();
    if (peek() != '"' || !string()) {
      return false;
    }
    space();
    return take(':');
  }

  private boolean string() {
    take('"');
    while (text.hasRemaining()) {
      char c = text.get();
      if (c == '"') {
        return true;
      }
      if (c < ' ' || (c == '\\' && !escape())) {
        return false;
      }
    }
    return false;
  }

  private boolean escape() {
    if (!text.hasRemaining()) {
      return false;
    }
    char c = text.get();
    if (c != 'u') {
      return "\"\\/bfnrt".indexOf(c) >= 0;
    }
    for (int i = 0; i < 4; i++) {
      if (!text.hasRemaining() || "0123456789abcdefABCDEF".indexOf(text.get()) < 0) {
        return false;
      }
    }
    return true;
  }

  private boolean number() {
    take('-');
    if (!take('0') && !digits()) {
      return false;
    }
    if (take('.') && !digits()) {
      return false;
    }
    if (take('e') || take('E')) {
      if (!take('+')) {
        take('-');
      }
      return digits();
    }
    return true;
  }

  private boolean digits() {
    int start = text.position();
    while (peek() >= '0' && peek() <= '9') {
      text.get();
    }
    return text.position() > start;
  }

  private boolean word(String expected) {
    for (int i = 0; i < expected.length(); i++) {
      if (!take(expected.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private void space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
      text.get();
    }
  }

  private boolean take(char expected) {
    if (peek() != expected) {
      return false;
    }
    text.get();
    return true;
  }

  /** The next character, or NUL at the end: JSON never contains it. */
  private char peek() {
    return text.hasRemaining() ? text.get(text.position()) : '\0';
  }
}

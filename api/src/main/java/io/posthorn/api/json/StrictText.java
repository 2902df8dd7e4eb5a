package io.posthorn.api.json;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/** Reads texts only from texts, and only those that a database can store. */
public final class StrictText extends StdScalarDeserializer<String> {
  StrictText() {
    super(String.class);
  }

  @Override
  public String deserialize(JsonParser parser, DeserializationContext context) {
    if (!parser.hasToken(JsonToken.VALUE_STRING)) {
      return context.reportInputMismatch(String.class, "no text");
    }
    String text = parser.getString();
    return isStorable(text)
        ? text
        : context.reportInputMismatch(String.class, "a character that cannot be stored");
  }

  /** Whether it has no NUL and no half of a surrogate pair. */
  public static boolean isStorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        return false;
      }
    }
    return true;
  }
}

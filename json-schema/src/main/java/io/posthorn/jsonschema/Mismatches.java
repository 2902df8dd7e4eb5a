package io.posthorn.jsonschema;

import com.networknt.schema.Error;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Where a payload does not match its schema: JSON pointers, each with the keyword of the schema
 * that refuses it. Values of the payload are left out, because payloads are private.
 */
final class Mismatches {
  private static final int MOST = 10;
  private static final int LONGEST_POINTER = 100;
  private static final int LONGEST_RULE = 60;

  private Mismatches() {}

  /** Describes these errors; empty if there are none. */
  static Optional<String> of(List<Error> errors) {
    if (errors.isEmpty()) {
      return Optional.empty();
    }
    TreeSet<String> places = new TreeSet<>();
    errors.forEach(error -> places.add(place(error)));
    String first = String.join(", ", places.stream().limit(MOST).toList());
    return Optional.of(
        places.size() <= MOST ? first : "%s and %d more".formatted(first, places.size() - MOST));
  }

  private static String place(Error error) {
    String pointer = String.valueOf(error.getInstanceLocation());
    String property = error.getProperty();
    if (property != null) {
      pointer += "/" + property.replace("~", "~0").replace("/", "~1");
    }
    String rule = property == null ? rule(error.getSchemaNode()) : "";
    return "%s (%s%s)".formatted(shown(pointer), error.getKeyword(), rule);
  }

  private static String rule(@Nullable JsonNode schema) {
    if (schema == null || schema.isObject()) {
      return "";
    }
    String rule = schema.isString() ? schema.stringValue() : schema.toString();
    return rule.length() > LONGEST_RULE ? "" : " " + rule;
  }

  /** A pointer contains names that the sender chose: they may be long, or disturb a terminal. */
  private static String shown(String pointer) {
    String text = pointer.isEmpty() ? "/" : pointer;
    if (text.length() > LONGEST_POINTER) {
      text = text.substring(0, LONGEST_POINTER) + "…";
    }
    StringBuilder shown = new StringBuilder();
    text.codePoints().map(c -> Character.isISOControl(c) ? '?' : c).forEach(shown::appendCodePoint);
    return shown.toString();
  }
}

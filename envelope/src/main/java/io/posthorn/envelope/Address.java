package io.posthorn.envelope;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where at a receiver messages go: a topic, an exchange and routing key, or a path. An address is
 * either fixed, or a template that each message fills in: {@code orders.{aggregateType}}. The
 * values are {@code {type}}, {@code {aggregateType}}, {@code {key}}, {@code {schemaVersion}} and
 * {@code {header.x}}.
 */
public final class Address {
  private static final String HEADER = "header.";
  private static final Set<String> VALUES = Set.of("type", "aggregateType", "key", "schemaVersion");

  /** A piece of fixed text, or the name of a value. */
  private record Part(String text, boolean value) {}

  private final String template;
  private final List<Part> parts;

  private Address(String template, List<Part> parts) {
    this.template = template;
    this.parts = parts;
  }

  /** Parses an address. Throws if it is invalid; {@link #problems} reports without throwing. */
  public static Address of(String template) {
    List<String> problems = problems(template);
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "address '%s' was not accepted: %s"
              .formatted(shown(template), String.join("; ", problems)));
    }
    return new Address(template, parts(template));
  }

  /** Returns all problems of this template. */
  public static List<String> problems(String template) {
    List<String> problems = new ArrayList<>();
    if (template.isBlank()) {
      problems.add("it is empty");
    }
    for (Part part : parts(template)) {
      if (part.value && !isValue(part.text)) {
        problems.add(
            "{%s} is not known; use {type}, {aggregateType}, {key}, {schemaVersion} or {header.name}"
                .formatted(part.text));
      } else if (!part.value && (part.text.contains("{") || part.text.contains("}"))) {
        // The text is not quoted: the fixed part of an address may contain its key.
        problems.add("it has an unmatched brace");
      }
    }
    return List.copyOf(problems);
  }

  /**
   * Returns whether all messages go to the same place. If a fixed place is missing, the destination
   * is at fault, and its messages wait. If a template's place is missing, the message is at fault.
   */
  public boolean isFixed() {
    return parts.stream().noneMatch(Part::value);
  }

  /**
   * Returns the address of this message.
   *
   * @throws RejectedException if the message lacks a value
   */
  public String of(Message message) {
    return of(message, UnaryOperator.identity());
  }

  /** Returns the address of this message, with each of its values encoded or checked first. */
  public String of(Message message, UnaryOperator<String> encoding) {
    StringBuilder address = new StringBuilder();
    for (Part part : parts) {
      address.append(part.value ? encoding.apply(value(part.text, message)) : part.text);
    }
    return address.toString();
  }

  private String value(String name, Message message) {
    String value = find(name, message);
    if (value == null || value.isEmpty()) {
      throw new RejectedException(
          Reason.INVALID_ADDRESS,
          "this message has no address: it has no {%s}, which the address '%s' needs"
              .formatted(name, shown(template)));
    }
    return value;
  }

  private static @Nullable String find(String name, Message message) {
    Key key = message.key();
    return switch (name) {
      case "type" -> message.type();
      case "schemaVersion" -> Integer.toString(message.schemaVersion());
      case "aggregateType" -> key == null ? null : key.aggregateType();
      case "key" -> key == null ? null : key.id();
      default -> message.headers().get(name.substring(HEADER.length()));
    };
  }

  private static boolean isValue(String name) {
    return VALUES.contains(name) || (name.startsWith(HEADER) && name.length() > HEADER.length());
  }

  private static List<Part> parts(String template) {
    List<Part> parts = new ArrayList<>();
    int at = 0;
    while (at < template.length()) {
      int open = template.indexOf('{', at);
      int close = open < 0 ? -1 : template.indexOf('}', open);
      if (close < 0) {
        break;
      }
      if (open > at) {
        parts.add(new Part(template.substring(at, open), false));
      }
      parts.add(new Part(template.substring(open + 1, close), true));
      at = close + 1;
    }
    if (at < template.length()) {
      parts.add(new Part(template.substring(at), false));
    }
    return List.copyOf(parts);
  }

  /** Returns the template as it was given; its query may contain secrets. */
  public String template() {
    return template;
  }

  /**
   * Returns the template without its query, and a URL without its path: both may contain secrets.
   */
  @Override
  public String toString() {
    return shown(template);
  }

  private static String shown(String template) {
    int host = template.indexOf("://");
    int path = host < 0 ? -1 : template.indexOf('/', host + "://".length());
    if (path >= 0 && path < template.length() - 1) {
      return shown(template.substring(0, path)) + "/…";
    }
    int query = template.indexOf('?');
    return query < 0 ? template : template.substring(0, query) + "?…";
  }
}

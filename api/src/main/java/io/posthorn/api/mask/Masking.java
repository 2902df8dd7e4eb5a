package io.posthorn.api.mask;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.json.PosthornJson;
import io.posthorn.core.message.Message;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Replaces the values that the rules of one type name, in payloads and in texts about them. */
final class Masking {
  static final String HIDDEN = "•••";
  private static final String HMAC = "HmacSHA256";
  private static final int HASH_BYTES = 6;
  private static final int SHOWN = 4;
  // Shorter values, such as 1 and true, are in every text.
  private static final int SHORTEST_IN_TEXT = 3;

  // Not a plain hash: those of telephone numbers and card numbers are guessed in seconds.
  private static final SecretKeySpec KEY = key();

  private final List<MaskRule> rules;

  Masking(List<MaskRule> rules) {
    this.rules = rules;
  }

  private static SecretKeySpec key() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return new SecretKeySpec(bytes, HMAC);
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  /** The payload with masked values; empty if it is not JSON, so nothing of it may be shown. */
  Optional<String> payload(byte[] json) {
    return tree(json)
        .map(
            tree -> {
              for (MaskRule rule : rules) {
                mask(tree, rule.parts(), 0, rule.show());
              }
              return PosthornJson.MAPPER.writeValueAsString(tree);
            });
  }

  private static Optional<JsonNode> tree(byte[] json) {
    try {
      JsonNode tree = PosthornJson.MAPPER.readTree(json);
      return tree.isContainer() ? Optional.of(tree) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static void mask(JsonNode at, List<String> parts, int depth, Show show) {
    String part = parts.get(depth);
    boolean last = depth == parts.size() - 1;
    if (at instanceof ObjectNode object) {
      for (String name : List.copyOf(object.propertyNames())) {
        if (part.equals("*") || part.equals(name)) {
          JsonNode value = object.get(name);
          if (last) {
            object.put(name, shown(value, show));
          } else {
            mask(value, parts, depth + 1, show);
          }
        }
      }
    } else if (at instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        if (part.equals("*") || part.equals(Integer.toString(i))) {
          if (last) {
            array.set(i, shown(array.get(i), show));
          } else {
            mask(array.get(i), parts, depth + 1, show);
          }
        }
      }
    }
  }

  private static String shown(JsonNode value, Show show) {
    String text = value.isValueNode() ? value.asString() : value.toString();
    return switch (show) {
      case HIDE -> HIDDEN;
      case LAST_FOUR ->
          text.length() >= 2 * SHOWN && value.isValueNode()
              ? HIDDEN + text.substring(text.length() - SHOWN)
              : HIDDEN;
      case HASH -> "#" + hash(text);
    };
  }

  private static String hash(String text) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(KEY);
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)), 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every JVM has " + HMAC, e);
    }
  }

  /** The text without the masked values of this payload; empty if the payload cannot be read. */
  Optional<String> text(String text, byte[] json) {
    return tree(json)
        .map(
            tree -> {
              Set<String> values = new LinkedHashSet<>();
              rules.forEach(rule -> collect(tree, rule.parts(), 0, values));
              return without(text, values);
            });
  }

  private static void collect(JsonNode at, List<String> parts, int depth, Set<String> values) {
    if (depth == parts.size()) {
      leaves(at, values);
      return;
    }
    String part = parts.get(depth);
    if (at instanceof ObjectNode object) {
      object
          .propertyStream()
          .filter(one -> part.equals("*") || part.equals(one.getKey()))
          .forEach(one -> collect(one.getValue(), parts, depth + 1, values));
    } else if (at instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        if (part.equals("*") || part.equals(Integer.toString(i))) {
          collect(array.get(i), parts, depth + 1, values);
        }
      }
    }
  }

  private static void leaves(JsonNode at, Set<String> values) {
    if (at.isValueNode()) {
      values.add(at.asString());
    } else {
      at.forEach(child -> leaves(child, values));
    }
  }

  /** The text without any value of this payload, nor any word of one; empty if it is not JSON. */
  static Optional<String> withoutAllValues(String text, Message message) {
    return tree(message.payload())
        .map(
            tree -> {
              Set<String> values = new LinkedHashSet<>();
              leaves(tree, values);
              values.addAll(message.headers().values());
              Set<String> words = new LinkedHashSet<>(values);
              values.forEach(value -> words.addAll(List.of(value.split("[^\\p{L}\\p{N}]+"))));
              return without(text, words);
            });
  }

  private static String without(String text, Set<String> values) {
    String left = text;
    List<String> longestFirst =
        values.stream()
            .filter(value -> value.length() >= SHORTEST_IN_TEXT)
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    for (String value : longestFirst) {
      left =
          Pattern.compile(Pattern.quote(value), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
              .matcher(left)
              .replaceAll(HIDDEN);
    }
    return left;
  }
}

package io.posthorn.api.mask;

import java.util.Arrays;
import java.util.List;

/**
 * A value of payloads that even people who may read payloads do not see at once.
 *
 * @param type the type of the messages; {@code *} means every type
 * @param pointer a JSON pointer (RFC 6901), for example {@code /customer/iban}; a part {@code *}
 *     means every element of an array or every member of an object
 * @param show what is shown of the value
 */
public record MaskRule(String type, String pointer, Show show) {
  /** Every type. */
  public static final String EVERY = "*";

  public MaskRule {
    if (!pointer.startsWith("/")) {
      throw new IllegalArgumentException(
          "'%s' is no JSON pointer: begin it with a slash, for example /customer/iban"
              .formatted(pointer));
    }
  }

  boolean isFor(String messageType) {
    return type.equals(EVERY) || type.equals(messageType);
  }

  List<String> parts() {
    return Arrays.stream(pointer.substring(1).split("/", -1))
        .map(part -> part.replace("~1", "/").replace("~0", "~"))
        .toList();
  }
}

package io.posthorn.console.action;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.live.Live;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Viewer;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What somebody asks for: the parameters of an action, and where it would take effect. */
record Asked(
    OperatedDatabase database,
    Viewer viewer,
    PayloadView view,
    Links links,
    Live live,
    Map<String, String> parameters) {
  /** The value of this name; empty if it is missing. */
  String value(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** The value of this name; null if it is missing or empty. */
  @Nullable String orNull(String name) {
    String value = value(name).strip();
    return value.isEmpty() ? null : value;
  }

  /** The value of this name, which must be there. */
  String required(String name) {
    String value = orNull(name);
    if (value == null) {
      throw refused("the %s is missing. Go back and choose one".formatted(name));
    }
    return value;
  }

  /** The id of this name, which must be there. */
  UUID id(String name) {
    try {
      return UUID.fromString(required(name));
    } catch (IllegalArgumentException e) {
      throw refused("'%s' is not an id".formatted(value(name)));
    }
  }

  /** The positive number of this name; null if it is empty. */
  @Nullable Double number(String name) {
    String text = orNull(name);
    if (text == null) {
      return null;
    }
    try {
      return Double.valueOf(text.replace(',', '.'));
    } catch (NumberFormatException e) {
      throw refused("'%s' is not a number".formatted(text));
    }
  }

  /** Whether a box is ticked. */
  boolean ticked(String name) {
    return value(name).equals("true");
  }

  static PosthornException refused(String why) {
    return new PosthornException(ErrorCode.INVALID_REQUEST, "nothing was done: " + why + ".");
  }
}

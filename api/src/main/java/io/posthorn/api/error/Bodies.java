package io.posthorn.api.error;

import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Says what is wrong with a body without quoting its values: they may be payloads. */
final class Bodies {
  private static final int LONGEST_NAME = 60;

  private Bodies() {}

  static String text(JacksonException e) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "'%s' is unknown; the names here are %s"
          .formatted(
              shortened(unknown.getPropertyName()),
              unknown.getKnownPropertyIds() == null ? "none" : unknown.getKnownPropertyIds());
    }
    if (e instanceof MismatchedInputException) {
      String where = path(e);
      return where.isEmpty()
          ? "it has another type"
          : "'%s' is missing or has a wrong type".formatted(where);
    }
    if (e instanceof StreamReadException) {
      return "it is not valid JSON at line %d, column %d, or it is nested too deeply"
          .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
    }
    String where = path(e);
    return where.isEmpty() ? "a value is not allowed" : "'%s' is not allowed".formatted(where);
  }

  private static String path(JacksonException e) {
    return shortened(
        e.getPath().stream()
            .map(one -> one.getPropertyName() == null ? "" + one.getIndex() : one.getPropertyName())
            .collect(Collectors.joining(".")));
  }

  private static String shortened(String name) {
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "…";
  }
}

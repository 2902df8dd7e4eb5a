package io.posthorn.spring.connector;

import io.posthorn.spring.StartAt;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Finds placeholders in settings for which nothing is configured. Spring leaves these as they are,
 * so that a secret would be the text of its placeholder.
 */
public final class Placeholders {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}:]+)[^}]*}");

  private final List<String> problems = new ArrayList<>();

  private Placeholders() {}

  /**
   * Returns a problem for each placeholder. The value itself is not part of it: it may be a secret.
   *
   * @param property the name of the property that has this value
   * @param value a record of settings, or a part of one
   */
  public static List<String> problems(String property, @Nullable Object value) {
    Placeholders found = new Placeholders();
    found.visit(property, value);
    return found.problems;
  }

  private void visit(String at, @Nullable Object value) {
    if (value instanceof StartAt start) {
      visit(at, start.text());
    } else if (value instanceof String text) {
      Matcher placeholder = PLACEHOLDER.matcher(text);
      while (placeholder.find()) {
        String name = placeholder.group(1);
        problems.add(
            "%s has the placeholder ${%s}, for which nothing is configured: set the property %s, or an environment variable of this name"
                .formatted(at, name, name));
      }
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((name, one) -> visit(at + "." + name, one));
    } else if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        visit(list.size() == 1 ? at : "%s[%d]".formatted(at, i), list.get(i));
      }
    } else if (value instanceof Record settings) {
      for (RecordComponent component : settings.getClass().getRecordComponents()) {
        visit(at + "." + OptionNames.property(component.getName()), value(settings, component));
      }
    }
  }

  private static @Nullable Object value(Record settings, RecordComponent component) {
    var accessor = Objects.requireNonNull(component.getAccessor());
    ReflectionUtils.makeAccessible(accessor);
    return ReflectionUtils.invokeMethod(accessor, settings);
  }
}

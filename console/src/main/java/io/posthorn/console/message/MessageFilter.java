package io.posthorn.console.message;

import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.text.Times;
import io.posthorn.core.operate.story.MessageQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * What the page of messages is asked for, as it stands in its address.
 *
 * @param key the id of a key, or type and id with a slash between
 * @param from a time, or how long ago: {@code 2h}
 */
public record MessageFilter(
    String key,
    String correlation,
    String type,
    String from,
    String to,
    boolean oldest,
    @Nullable Long after) {
  /** One value that is set, and the page without it. */
  public record Chip(String name, String value, String without) {}

  static MessageFilter of(Map<String, String> values) {
    return new MessageFilter(
        value(values, "key"),
        value(values, "correlation"),
        value(values, "type"),
        value(values, "from"),
        value(values, "to"),
        "oldest".equals(values.get("order")),
        number(values.get("after")));
  }

  private static String value(Map<String, String> values, String name) {
    return values.getOrDefault(name, "").strip();
  }

  private static @Nullable Long number(@Nullable String text) {
    return text == null || !text.matches("\\d{1,18}") ? null : Long.valueOf(text);
  }

  /** Whether nothing is set. */
  public boolean isEmpty() {
    return key.isEmpty()
        && correlation.isEmpty()
        && type.isEmpty()
        && from.isEmpty()
        && to.isEmpty();
  }

  MessageQuery toQuery() {
    int slash = key.indexOf('/');
    MessageQuery.Builder query =
        MessageQuery.builder()
            .aggregateType(slash > 0 ? key.substring(0, slash) : null)
            .key(key.isEmpty() ? null : slash > 0 ? key.substring(slash + 1) : key)
            .correlationId(orNull(correlation))
            .type(orNull(type))
            .from(Times.parse(from))
            .to(Times.parse(to));
    return oldest ? query.oldestFirst().build() : query.build();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("key", key);
    values.put("correlation", correlation);
    values.put("type", type);
    values.put("from", from);
    values.put("to", to);
    values.values().removeIf(String::isEmpty);
    return values;
  }

  List<Chip> chips(Links links) {
    List<Chip> chips = new ArrayList<>();
    values()
        .forEach(
            (name, value) -> {
              Map<String, String> others = values();
              others.remove(name);
              chips.add(new Chip(name, value, links.to("messages", others)));
            });
    return chips;
  }

  String after(Links links, @Nullable Long place) {
    Map<String, @Nullable Object> parameters = new LinkedHashMap<>(values());
    if (oldest) {
      parameters.put("order", "oldest");
    }
    parameters.put("after", place);
    return links.to("messages", parameters);
  }

  String cli() {
    StringBuilder command = new StringBuilder("posthorn messages list");
    values()
        .forEach(
            (name, value) ->
                command.append(" --").append(name).append(' ').append(Equivalent.quoted(value)));
    return command.append(oldest ? " --oldest-first" : "").toString();
  }

  String query() {
    UriComponentsBuilder query = UriComponentsBuilder.newInstance();
    values().forEach(query::queryParam);
    return query.build().encode().toUriString();
  }
}

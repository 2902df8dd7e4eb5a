package io.posthorn.console.deadletter;

import io.posthorn.api.access.AccessRefusedException;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Viewer;
import io.posthorn.console.text.Times;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which dead letters a page or an action is about, as it stands in its address. */
public record LetterFilter(Map<String, String> values) {
  /** The names that filter, as the command line knows them. */
  public static final List<String> NAMES =
      List.of("destination", "type", "reason", "key", "error", "from", "to", "cause", "state");

  /** One value that is set, and the page without it. */
  public record Chip(String name, String value, String without) {}

  /** Takes what filters out of the parameters of a request. */
  public static LetterFilter of(Map<String, String> parameters) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String name : NAMES) {
      String value = parameters.getOrDefault(name, "").strip();
      if (!value.isEmpty()) {
        values.put(name, value);
      }
    }
    return new LetterFilter(values);
  }

  /** The value of this name; empty if it is not set. */
  public String value(String name) {
    return values.getOrDefault(name, "");
  }

  /** Whether nothing is set. */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** The same with this value. */
  public LetterFilter with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(values);
    more.put(name, value);
    return new LetterFilter(more);
  }

  /** Refuses a search in errors that this person does not see: each hit would tell something. */
  public LetterFilter checkedFor(Viewer viewer, PayloadView view) {
    if (values.containsKey("error")) {
      if (!viewer.readsPayloads()) {
        throw AccessRefusedException.lacking(
            viewer.caller(), Right.READ_PAYLOADS, viewer.database());
      }
      if (!view.readsErrors()) {
        throw io.posthorn.api.deadletter.LetterFilter.searchedBehindRules();
      }
    }
    return this;
  }

  /** The query for it. */
  public DeadLetterQuery query() {
    String key = value("key");
    int slash = key.indexOf('/');
    DeadLetterQuery.Builder query =
        DeadLetterQuery.builder()
            .destination(values.get("destination"))
            .type(values.get("type"))
            .reason(values.get("reason"))
            .aggregateType(slash > 0 ? key.substring(0, slash) : null)
            .key(key.isEmpty() ? null : slash > 0 ? key.substring(slash + 1) : key)
            .error(values.get("error"))
            .from(Times.parse(value("from")))
            .to(Times.parse(value("to")))
            .fingerprint(values.get("cause"));
    return query.states(states()).build();
  }

  private Set<DeadLetter.State> states() {
    return switch (value("state")) {
      case "all" -> EnumSet.allOf(DeadLetter.State.class);
      case "requeued" -> EnumSet.of(DeadLetter.State.REQUEUED, DeadLetter.State.SENT);
      case "discarded" -> EnumSet.of(DeadLetter.State.DISCARDED);
      default -> EnumSet.of(DeadLetter.State.DEAD);
    };
  }

  List<Chip> chips(Links links, String page) {
    List<Chip> chips = new ArrayList<>();
    values.forEach(
        (name, value) -> {
          Map<String, @Nullable String> others = new LinkedHashMap<>(values);
          others.remove(name);
          chips.add(new Chip(name, value, links.to(page, others)));
        });
    return chips;
  }

  /** The options of the command line. */
  public String options() {
    StringBuilder options = new StringBuilder();
    values.forEach(
        (name, value) ->
            options.append(" --").append(name).append(' ').append(Equivalent.quoted(value)));
    return options.toString();
  }
}

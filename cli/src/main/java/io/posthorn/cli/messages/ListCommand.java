package io.posthorn.cli.messages;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.FilterOptions;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.operate.story.Messages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists messages of the log. */
@Command(
    name = "list",
    description = {
      "List messages of the log, newest first.",
      "By key or correlation, an index finds them at once. By type or time alone, the log is read for about 3 seconds; the output then says how to continue."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn messages list --key Order/o-1 --from 2h")
final class ListCommand implements Runnable {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();
  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(
      names = "--correlation",
      paramLabel = "ID",
      description = "Only messages of this correlation id.")
  private @Nullable String correlation;

  @Option(
      names = "--oldest-first",
      description = "List in the order of the log; default: newest first.")
  private boolean oldestFirst;

  @Option(
      names = "--after",
      paramLabel = "PLACE",
      description = "Continue after this place, which the previous page printed.")
  private @Nullable Long after;

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "Show up to N messages, at most 1000; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    MessagePage page = read(Messages.on(where.store()));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("messages", page.messages().stream().map(StoryJson::listed).toList());
    if (page.next() != null) {
      json.put("next", page.next());
    }
    json.put("walked", page.walked());
    answer.value(json);
    if (page.messages().isEmpty()) {
      answer.say(page.next() == null ? "no messages" : "no messages in this part of the log");
    } else {
      answer.table(
          List.of("message", "recorded", "type", "key", "correlation", "states"),
          page.messages().stream().map(ListCommand::row).toList());
    }
    if (page.walked() && (filter.key().id() != null || correlation != null)) {
      answer.say(
          "this database has no index for this search, so the log was read instead ('posthorn schema print --only-finding' prints the index)");
    }
    if (page.next() != null) {
      answer.say("there may be more; continue with --after " + page.next());
    }
  }

  /**
   * Reads the log page by page until the limit is reached, but no longer than people like to wait.
   */
  private MessagePage read(Messages messages) {
    MessageQuery query = query();
    long began = System.nanoTime();
    MessagePage page = messages.list(query, after, limit);
    List<ListedMessage> found = new ArrayList<>(page.messages());
    while (page.next() != null
        && found.size() < limit
        && System.nanoTime() - began < PATIENCE.toNanos()) {
      page = messages.list(query, page.next(), limit - found.size());
      found.addAll(page.messages());
    }
    return new MessagePage(found, page.next(), page.walked());
  }

  private MessageQuery query() {
    MessageQuery.Builder query =
        MessageQuery.builder()
            .key(filter.key().id())
            .aggregateType(filter.key().aggregateType())
            .correlationId(correlation)
            .type(filter.type())
            .from(filter.from())
            .to(filter.to());
    return (oldestFirst ? query.oldestFirst() : query).build();
  }

  private static List<String> row(ListedMessage message) {
    return List.of(
        message.id().toString(),
        Answer.time(message.recordedAt()),
        message.type(),
        message.key() == null ? "" : message.key().toString(),
        message.correlationId() == null ? "" : message.correlationId(),
        states(message));
  }

  /** For example "SENT shop stock, DEAD mail". */
  private static String states(ListedMessage message) {
    Map<MessageState, StringBuilder> byState = new TreeMap<>();
    message
        .states()
        .forEach(
            (destination, state) -> {
              StringBuilder names = byState.computeIfAbsent(state, s -> new StringBuilder());
              names.append(names.length() == 0 ? "" : " ").append(destination);
            });
    StringBuilder text = new StringBuilder();
    byState.forEach(
        (state, names) ->
            text.append(text.length() == 0 ? "" : ", ").append(state).append(' ').append(names));
    return text.toString();
  }
}

package io.posthorn.console.message;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.text.ShownText;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.store.MessageStory;
import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Finding messages, and one message with its whole story. */
@RestController
public final class MessagePages {
  private static final int PAGE = 50;
  private static final int SIBLINGS = 12;

  private final Pages pages;
  private final Ask ask;
  private final PayloadViews views;

  /** Asks within the time of a page. */
  public MessagePages(Pages pages, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.ask = ask;
    this.views = views;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/messages")
  ResponseEntity<byte[]> list(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam Map<String, String> parameters) {
    MessageFilter filter = MessageFilter.of(parameters);
    Links links = pages.links(database);
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("filter", filter);
    model.put(
        "equivalent",
        Equivalent.get(
            filter.cli(),
            "/api/v1/databases/%s/messages%s".formatted(database.name(), filter.query())));
    MessagePage page =
        ask.now(database, () -> database.messages().list(filter.toQuery(), filter.after(), PAGE));
    model.put("page", page);
    model.put("rows", page.messages());
    model.put("groups", new StateGroups());
    model.put("chips", filter.chips(links));
    model.put("next", page.next() == null ? null : filter.after(links, page.next()));
    model.put("first", filter.after() == null ? null : filter.after(links, null));
    return pages.page(request, caller, database, "messages", "messages", "Messages", model);
  }

  private record Read(
      @Nullable MessageStory story,
      List<Receipt> receipts,
      List<DeadLetter> letters,
      List<ListedMessage> siblings) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/messages/{id}")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database, @PathVariable UUID id) {
    Read read = ask.now(database, () -> read(database, id));
    MessageStory story = read.story();
    if (story == null && read.receipts().isEmpty()) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "there is no message %s: it was never committed, it was removed after its retention, or this is the id of a dead letter."
              .formatted(id));
    }
    Links links = pages.links(database);
    PayloadView view = views.of(caller, database);
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("id", id);
    model.put("receipts", read.receipts());
    model.put("story", story);
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn messages find " + id,
            "/api/v1/databases/%s/messages/%s".formatted(database.name(), id)));
    if (story != null) {
      Message message = story.message();
      Timeline timeline = new Timeline(story, read.receipts(), read.letters(), view, links);
      model.put("m", message);
      model.put("sentence", timeline.sentence());
      model.put("events", timeline.events());
      model.put("deliveries", timeline.deliveries());
      model.put("payload", ShownText.of(view.payload(message, story.cipherKey())));
      model.put("headers", view.headers(message));
      model.put("siblings", read.siblings());
      model.put("correlation", message.correlationId());
      model.put("trace", traceOf(message));
    }
    return pages.page(request, caller, database, "message", "messages", "Message " + id, model);
  }

  private static Read read(OperatedDatabase database, UUID id) {
    MessageStory story = database.messages().find(id).orElse(null);
    List<Receipt> receipts = database.inbox().find(Inbox.ALL_CONSUMERS, id);
    List<DeadLetter> letters =
        database
            .deadLetters()
            .list(
                DeadLetterQuery.builder()
                    .messageId(id)
                    .states(EnumSet.allOf(DeadLetter.State.class))
                    .build(),
                null,
                SIBLINGS);
    List<ListedMessage> siblings =
        story == null || story.message().headers().get(Headers.CORRELATION_ID) == null
            ? List.of()
            : database
                .messages()
                .list(
                    MessageQuery.builder()
                        .correlationId(story.message().correlationId())
                        .oldestFirst()
                        .build(),
                    null,
                    SIBLINGS)
                .messages();
    return new Read(story, receipts, letters, siblings);
  }

  private static @Nullable String traceOf(Message message) {
    String parent = message.headers().get(Headers.TRACEPARENT);
    String[] parts = parent == null ? new String[0] : parent.split("-", 4);
    return parts.length == 4 && parts[1].matches("[0-9a-f]{32}") ? parts[1] : null;
  }
}

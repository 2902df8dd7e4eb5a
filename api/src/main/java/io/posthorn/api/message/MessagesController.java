package io.posthorn.api.message;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.mask.ShownMessage;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.store.MessageStory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Finds messages, and shows what happened to each. */
@RestController
@RequestMapping("/api/v1/databases/{database}")
public final class MessagesController {
  private static final int MOST_IDS = 20;

  private final PayloadViews views;

  MessagesController(PayloadViews views) {
    this.views = views;
  }

  /**
   * A page of messages.
   *
   * @param next pass it as {@code after} to continue; null if this is the last page
   * @param walked whether the log was scanned for a bounded time, because no index serves the
   *     query. Such a page may be short although there is a next one
   */
  public record MessageList(List<ListedMessage> items, @Nullable Long next, boolean walked) {}

  /** Something whose id begins as asked for. */
  public record FoundId(IdKind kind, UUID id) {}

  /** Lists messages of the log, newest first. */
  @GetMapping("/messages")
  @Needs(Right.VIEW)
  public MessageList list(
      OperatedDatabase database,
      @RequestParam(required = false) @Nullable String aggregateType,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable String correlationId,
      @RequestParam(required = false) @Nullable String type,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = "false") boolean oldestFirst,
      @RequestParam(required = false) @Nullable Long after,
      @RequestParam(defaultValue = "50") int limit) {
    MessageQuery.Builder query =
        MessageQuery.builder()
            .aggregateType(aggregateType)
            .key(key)
            .correlationId(correlationId)
            .type(type)
            .from(Requests.time("from", from))
            .to(Requests.time("to", to));
    MessageQuery built = (oldestFirst ? query.oldestFirst() : query).build();
    MessagePage page = database.messages().list(built, after, Page.limit(limit));
    return new MessageList(page.messages(), page.next(), page.walked());
  }

  /** Shows a message and everything that happened to it. */
  @GetMapping("/messages/{id}")
  @Needs(Right.VIEW)
  public Story show(OperatedDatabase database, Caller caller, @PathVariable UUID id) {
    List<Receipt> receipts = database.inbox().find(Inbox.ALL_CONSUMERS, id);
    PayloadView view = views.of(caller, database);
    return database
        .messages()
        .find(id)
        .map(story -> Story.of(story, receipts, view))
        .orElseGet(
            () -> {
              if (receipts.isEmpty()) {
                throw Requests.missing("message", id);
              }
              return Story.ofReceipts(receipts);
            });
  }

  /** Shows a message without masks. The audit records who did it, and why. */
  @PostMapping("/messages/{id}/unmask")
  @Needs(Right.READ_PAYLOADS)
  public ShownMessage unmask(
      OperatedDatabase database, Caller caller, @PathVariable UUID id, @RequestBody Why body) {
    MessageStory story =
        database.messages().find(id).orElseThrow(() -> Requests.missing("message", id));
    return views
        .unmasked(database, "message " + id, Requests.by(caller, body.why()))
        .message(story.message(), story.cipherKey());
  }

  /** Finds messages, dead letters and operations whose ids begin so. */
  @GetMapping("/ids/{prefix}")
  @Needs(Right.VIEW)
  public Page<FoundId> ids(OperatedDatabase database, @PathVariable String prefix) {
    IdPrefix asked = IdPrefix.of(prefix);
    List<FoundId> found = new ArrayList<>();
    for (IdKind kind : IdKind.values()) {
      database.store().ids(kind, asked, MOST_IDS).forEach(id -> found.add(new FoundId(kind, id)));
    }
    return Page.all(found);
  }
}

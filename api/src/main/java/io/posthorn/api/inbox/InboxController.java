package io.posthorn.api.inbox;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Counted;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.task.Task;
import io.posthorn.api.task.Tasks;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.core.operate.audit.Actor;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The receipts of messages that consumers have received. */
@RestController
@RequestMapping("/api/v1/databases/{database}/inbox")
public final class InboxController {
  private final Tasks tasks;

  InboxController(Tasks tasks) {
    this.tasks = tasks;
  }

  /**
   * Which receipts.
   *
   * @param consumer the consumer's name, or {@code *} for all; required
   * @param sender only messages of this sender
   * @param from only messages received at this time or later
   * @param to only messages received before this time
   */
  public record Filter(
      @Nullable String consumer,
      @Nullable String sender,
      @Nullable String from,
      @Nullable String to,
      @Nullable ReceiptState state,
      @Nullable String why) {
    ReceiptQuery query() {
      return ReceiptQuery.of(Requests.required("consumer", consumer))
          .sender(sender)
          .received(Requests.time("from", from), Requests.time("to", to))
          .state(state);
    }
  }

  /** One message of a consumer, and why. */
  public record OfConsumer(@Nullable String consumer, @Nullable String why) {}

  /** Lists receipts, newest first. Give {@code from}: without it, all receipts are read. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<Receipt> list(
      OperatedDatabase database,
      @RequestParam String consumer,
      @RequestParam(required = false) @Nullable String sender,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(required = false) @Nullable ReceiptState state,
      @RequestParam(defaultValue = "50") int limit) {
    ReceiptQuery query = new Filter(consumer, sender, from, to, state, null).query();
    return Page.all(database.inbox().list(query, Page.limit(limit)));
  }

  /** Shows the receipts of one message, of all consumers. */
  @GetMapping("/{message}")
  @Needs(Right.VIEW)
  public Page<Receipt> show(OperatedDatabase database, @PathVariable UUID message) {
    return Page.all(database.inbox().find(Inbox.ALL_CONSUMERS, message));
  }

  /** Counts receipts. */
  @PostMapping("/count")
  @Needs(Right.VIEW)
  public Counted count(OperatedDatabase database, @RequestBody Filter body) {
    return new Counted(database.inbox().count(body.query()));
  }

  /** Lets consumers handle messages again when they arrive again. */
  @PostMapping("/replay")
  @Needs(Right.OPERATE)
  public ResponseEntity<Task> replay(
      OperatedDatabase database, Caller caller, @RequestBody Filter body) {
    ReceiptQuery query = body.query();
    Actor by = Requests.by(caller, body.why());
    return tasks.start(
        database,
        caller,
        "replay " + query,
        progress -> new Counted(database.inbox().replay(query, by)));
  }

  /** Lets a consumer handle one message again when it arrives again. */
  @PostMapping("/{message}/replay")
  @Needs(Right.OPERATE)
  public Changed replayOne(
      OperatedDatabase database,
      Caller caller,
      @PathVariable UUID message,
      @RequestBody OfConsumer body) {
    String consumer = Requests.required("consumer", body.consumer());
    return new Changed(database.inbox().replay(consumer, message, Requests.by(caller, body.why())));
  }
}

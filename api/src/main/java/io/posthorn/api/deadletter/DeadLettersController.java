package io.posthorn.api.deadletter;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.mask.ShownMessage;
import io.posthorn.api.request.Counted;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import java.util.List;
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

/** Finds dead letters, and shows them. */
@RestController
@RequestMapping("/api/v1/databases/{database}/dead-letters")
public final class DeadLettersController {
  private static final int MOST_DAYS = 366;

  private final PayloadViews views;

  DeadLettersController(PayloadViews views) {
    this.views = views;
  }

  /** Lists dead letters, oldest first; without parameters, those that wait for a person. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<DeadLetter> list(
      OperatedDatabase database,
      Caller caller,
      @RequestParam(required = false) @Nullable String destination,
      @RequestParam(required = false) @Nullable String type,
      @RequestParam(required = false) @Nullable String reason,
      @RequestParam(required = false) @Nullable String aggregateType,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String cause,
      @RequestParam(required = false) @Nullable UUID message,
      @RequestParam(required = false) @Nullable List<DeadLetter.State> state,
      @RequestParam(required = false) @Nullable UUID after,
      @RequestParam(defaultValue = "50") int limit) {
    LetterFilter filter =
        new LetterFilter(
            destination,
            type,
            reason,
            aggregateType,
            key,
            from,
            to,
            error,
            null,
            cause,
            message,
            state);
    return search(database, caller, filter, after, limit);
  }

  /** Lists dead letters by a filter in the body, which also has headers. */
  @PostMapping("/search")
  @Needs(Right.VIEW)
  public Page<DeadLetter> search(
      OperatedDatabase database,
      Caller caller,
      @RequestBody LetterFilter body,
      @RequestParam(required = false) @Nullable UUID after,
      @RequestParam(defaultValue = "50") int limit) {
    body.checkSearch(caller, database, views.of(caller, database));
    int most = Page.limit(limit);
    DeadLetter last = after == null ? null : find(database, after).letter();
    return Page.of(database.deadLetters().list(body.query(), last, most), most, DeadLetter::id)
        .map(one -> ShownLetter.inList(one, views.of(caller, database)));
  }

  /** Counts the dead letters that match a filter. */
  @PostMapping("/count")
  @Needs(Right.VIEW)
  public Counted count(OperatedDatabase database, Caller caller, @RequestBody LetterFilter body) {
    body.checkSearch(caller, database, views.of(caller, database));
    return new Counted(database.deadLetters().count(body.query()));
  }

  /** Totals, rankings and results of rescues, with the letters per day. */
  @GetMapping("/summary")
  @Needs(Right.VIEW)
  public DeadLetterFigures summary(
      OperatedDatabase database, @RequestParam(defaultValue = "30") int days) {
    if (days < 1 || days > MOST_DAYS) {
      throw Requests.wrong(
          "nothing was counted: 'days' must be from 1 to %d.".formatted(MOST_DAYS));
    }
    return database.deadLetters().figures(days);
  }

  /** Shows a dead letter. Its tag changes when the letter does. */
  @GetMapping("/{id}")
  @Needs(Right.VIEW)
  public ResponseEntity<ShownLetter> show(
      OperatedDatabase database, Caller caller, @PathVariable UUID id) {
    DeadLetterDetail found = find(database, id);
    return ResponseEntity.ok()
        .eTag(Tags.of(found.letter()))
        .body(
            ShownLetter.of(
                found,
                database.deadLetters().noteOf(found.letter().fingerprint()).orElse(null),
                views.of(caller, database)));
  }

  /** Shows the message without masks. The audit records who did it, and why. */
  @PostMapping("/{id}/unmask")
  @Needs(Right.READ_PAYLOADS)
  public ShownMessage unmask(
      OperatedDatabase database, Caller caller, @PathVariable UUID id, @RequestBody Why body) {
    DeadLetterDetail found = find(database, id);
    return views
        .unmasked(database, "letter " + id, Requests.by(caller, body.why()))
        .message(found.message(), found.cipherKey());
  }

  static DeadLetterDetail find(OperatedDatabase database, UUID id) {
    return database.deadLetters().find(id).orElseThrow(() -> Requests.missing("dead letter", id));
  }
}

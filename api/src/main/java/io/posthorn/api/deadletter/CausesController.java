package io.posthorn.api.deadletter;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Dead letters grouped by cause, and what people have written about each cause. */
@RestController
@RequestMapping("/api/v1/databases/{database}/causes")
public final class CausesController {
  private final PayloadViews views;

  CausesController(PayloadViews views) {
    this.views = views;
  }

  /**
   * What is known about a cause.
   *
   * @param note null keeps the note, an empty text removes it
   * @param owner null keeps the owner, an empty text removes it
   */
  public record NewNote(@Nullable String note, @Nullable String owner, @Nullable String why) {}

  /**
   * The note about a cause.
   *
   * @param note null if nobody has written one
   */
  public record Note(String cause, @Nullable CauseNote note) {}

  /** Groups dead letters by cause, those with most letters first. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<Cause> list(
      OperatedDatabase database,
      Caller caller,
      @RequestParam(required = false) @Nullable String destination,
      @RequestParam(required = false) @Nullable String type,
      @RequestParam(required = false) @Nullable String reason,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(required = false) @Nullable List<DeadLetter.State> state,
      @RequestParam(defaultValue = "50") int limit) {
    LetterFilter filter =
        new LetterFilter(
            destination, type, reason, null, null, from, to, null, null, null, null, state);
    PayloadView view = views.of(caller, database);
    return Page.all(database.deadLetters().causes(filter.query(), Page.limit(limit)))
        .map(cause -> shown(cause, view));
  }

  private static Cause shown(Cause one, PayloadView view) {
    return new Cause(
        one.fingerprint(),
        one.letters(),
        one.reason(),
        String.valueOf(view.error(one.error(), one.types())),
        one.firstSeen(),
        one.lastSeen(),
        one.types(),
        one.destinations(),
        one.perDay(),
        one.note());
  }

  /** Shows the note about a cause. Its tag is needed to change it. */
  @GetMapping("/{cause}/note")
  @Needs(Right.VIEW)
  public ResponseEntity<Note> note(OperatedDatabase database, @PathVariable String cause) {
    CauseNote note = database.deadLetters().noteOf(cause).orElse(null);
    return ResponseEntity.ok().eTag(Tags.of(note)).body(new Note(cause, note));
  }

  /** Writes the note about a cause. The header If-Match must have the tag of the note as read. */
  @PutMapping("/{cause}/note")
  @Needs(Right.OPERATE)
  public ResponseEntity<Note> write(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String cause,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody NewNote body) {
    CauseNote now = database.deadLetters().noteOf(cause).orElse(null);
    Tags.check(ifMatch, Tags.of(now), true, "the note");
    database.deadLetters().note(cause, body.note(), body.owner(), Requests.by(caller, body.why()));
    return note(database, cause);
  }
}

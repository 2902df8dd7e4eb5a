package io.posthorn.api.deadletter;

import io.posthorn.api.access.AccessRefusedException;
import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.mask.ShownMessage;
import io.posthorn.api.request.Requests;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.RequeuePreview;
import io.posthorn.core.operate.deadletter.Rescued;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requeues, corrects, sends once and discards dead letters. For many, start an operation. */
@RestController
@RequestMapping("/api/v1/databases/{database}/dead-letters")
public final class RescueController {
  private final PayloadViews views;

  RescueController(PayloadViews views) {
    this.views = views;
  }

  /**
   * Letters to rescue.
   *
   * @param ids up to 1,000 letters
   * @param newId only for a requeue: whether the messages get new ids
   */
  public record Letters(@Nullable List<UUID> ids, @Nullable Boolean newId, @Nullable String why) {}

  /**
   * What a requeue would deliver.
   *
   * @param written the message with the stored or the corrected payload
   * @param read the message as this process' handlers would read it; null if they could not
   * @param problems what speaks against it
   */
  public record Previewed(
      ShownMessage written, @Nullable ShownMessage read, List<String> problems) {}

  /** Shows what a requeue of one letter would deliver. It changes nothing. */
  @PostMapping("/{id}/preview")
  @Needs(Right.VIEW)
  public Previewed preview(
      OperatedDatabase database, Caller caller, @PathVariable UUID id, @RequestBody Rescue body) {
    DeadLetterDetail letter = DeadLettersController.find(database, id);
    RequeuePreview preview =
        database
            .deadLetters()
            .preview(id, body.how())
            .orElseThrow(() -> Requests.missing("dead letter", id));
    PayloadView view = views.of(caller, database);
    // A preview with the stored payload shows it encrypted if it could not be decrypted.
    String key = body.how().payload() == null ? letter.cipherKey() : null;
    Message read = preview.read();
    return new Previewed(
        view.message(preview.written(), key),
        read == null ? null : view.message(read, key),
        preview.problems().stream()
            .map(problem -> String.valueOf(view.error(problem, preview.written(), key)))
            .toList());
  }

  /**
   * Requeues one letter, perhaps with a corrected payload, which needs the right to read it. With
   * the header If-Match, only if the letter has not changed.
   */
  @PostMapping("/{id}/requeue")
  @Needs(Right.OPERATE)
  public Rescued requeueOne(
      OperatedDatabase database,
      Caller caller,
      @PathVariable UUID id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody Rescue body) {
    if (body.how().payload() != null && !caller.may(Right.READ_PAYLOADS, database.name())) {
      throw AccessRefusedException.lacking(caller, Right.READ_PAYLOADS, database.name());
    }
    DeadLetterDetail letter = DeadLettersController.find(database, id);
    Tags.check(ifMatch, Tags.of(letter.letter()), false, "the letter");
    return shown(
        database.deadLetters().requeue(List.of(id), body.how(), Requests.by(caller, body.why())),
        views.of(caller, database));
  }

  /** Requeues letters: relays deliver their messages again, with all attempts. */
  @PostMapping("/requeue")
  @Needs(Right.OPERATE)
  public Rescued requeue(OperatedDatabase database, Caller caller, @RequestBody Letters body) {
    Requeue how = Boolean.TRUE.equals(body.newId()) ? Requeue.SAME.withNewId() : Requeue.SAME;
    return shown(
        database
            .deadLetters()
            .requeue(Requests.ids(body.ids()), how, Requests.by(caller, body.why())),
        views.of(caller, database));
  }

  /** Sends letters once. A letter that fails again is dead at once. */
  @PostMapping("/send-once")
  @Needs(Right.OPERATE)
  public Rescued sendOnce(OperatedDatabase database, Caller caller, @RequestBody Letters body) {
    return shown(
        database.deadLetters().sendOnce(Requests.ids(body.ids()), Requests.by(caller, body.why())),
        views.of(caller, database));
  }

  /** Gives letters up. They are kept as evidence. */
  @PostMapping("/discard")
  @Needs(Right.OPERATE)
  public Rescued discard(OperatedDatabase database, Caller caller, @RequestBody Letters body) {
    return database
        .deadLetters()
        .discard(Requests.ids(body.ids()), Requests.by(caller, body.why()));
  }

  /** Why a letter was refused may quote its payload. */
  private static Rescued shown(Rescued rescued, PayloadView view) {
    Map<UUID, String> refused = new TreeMap<>();
    rescued.refused().forEach((id, text) -> refused.put(id, String.valueOf(view.anyText(text))));
    return new Rescued(rescued.done(), refused);
  }
}

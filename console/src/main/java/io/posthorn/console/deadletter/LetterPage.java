package io.posthorn.console.deadletter;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.Diff;
import io.posthorn.console.text.ShownText;
import io.posthorn.console.text.StackText;
import io.posthorn.console.text.Words;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.store.MessageStory.Attempt;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** One dead letter: what, why, every attempt, and what a person can do. */
@RestController
public final class LetterPage {
  private final Pages pages;
  private final Ask ask;
  private final PayloadViews views;

  /** Asks within the time of a page. */
  public LetterPage(Pages pages, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.ask = ask;
    this.views = views;
  }

  /** An attempt, with its error as the viewer may see it. */
  public record Tried(Attempt attempt, @Nullable String error) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/dead/{id}")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database, @PathVariable UUID id) {
    DeadLetterDetail detail =
        ask.now(database, () -> database.deadLetters().find(id))
            .orElseThrow(
                () ->
                    new PosthornException(
                        ErrorCode.NOT_FOUND,
                        "there is no dead letter %s. If this is the id of a message, look among the messages."
                            .formatted(id)));
    PayloadView view = views.of(caller, database);
    Links links = pages.links(database);
    DeadLetter letter = detail.letter();
    Message message = detail.message();
    String stack = view.stack(detail.stack(), message, detail.cipherKey());
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("d", detail);
    model.put("letter", letter);
    model.put("badge", Badge.of(letter));
    model.put("error", view.error(letter.error(), message, detail.cipherKey()));
    model.put("sentence", sentence(letter));
    model.put(
        "attempts",
        detail.history().stream()
            .map(one -> new Tried(one, view.error(one.error(), message, detail.cipherKey())))
            .toList());
    model.put("stack", stack == null || stack.isBlank() ? null : StackText.of(stack));
    ShownText payload = ShownText.of(view.payload(message, detail.cipherKey()));
    model.put("payload", payload);
    model.put("headers", view.headers(message));
    model.put("diff", diff(detail, payload, view));
    model.put("steps", letter.state() == DeadLetter.State.DEAD ? steps(id, links) : List.of());
    model.put(
        "note",
        ask.now(database, () -> database.deadLetters().noteOf(letter.fingerprint())).orElse(null));
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn dead show " + id,
            "/api/v1/databases/%s/dead-letters/%s".formatted(database.name(), id)));
    return pages.page(request, caller, database, "letter", "dead", "Dead letter " + id, model);
  }

  private static String sentence(DeadLetter letter) {
    String attempts =
        letter.attempts() == 0
            ? "was never tried"
            : "failed after " + Words.of(letter.attempts(), "attempt");
    return "A message of type %s for %s %s: %s."
        .formatted(
            Words.text(letter.type(), 80),
            Words.text(letter.destination(), 60),
            attempts,
            letter.reason().equals(letter.lastReason())
                ? Words.text(letter.reason(), 100)
                : Words.text(letter.reason(), 100)
                    + ", at last "
                    + Words.text(letter.lastReason(), 100));
  }

  private static @Nullable List<Diff.Line> diff(
      DeadLetterDetail detail, ShownText payload, PayloadView view) {
    Message corrected = detail.corrected();
    if (corrected == null || payload.text() == null) {
      return null;
    }
    String after = ShownText.of(view.payload(corrected, detail.cipherKey())).text();
    return after == null ? null : Diff.of(payload.text(), after);
  }

  private static List<Step> steps(UUID id, Links links) {
    return List.of(
        Step.act("Requeue", links.act("requeue", "letter", id)).primary(),
        Step.act("Correct and requeue", links.act("correct", "letter", id), Right.ADMINISTER),
        Step.act("Send once", links.act("send-once", "letter", id)),
        Step.act("Discard", links.act("discard", "letter", id)).danger());
  }
}

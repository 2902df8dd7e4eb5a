package io.posthorn.console.deadletter;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.chart.Bars;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Step;
import io.posthorn.console.page.Viewer;
import io.posthorn.console.text.Words;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Dead letters by cause, and the letters of a cause. */
@RestController
public final class DeadPages {
  private static final int CAUSES = 50;
  private static final int PAGE = 50;
  private static final int DAYS = 14;

  private final Pages pages;
  private final Ask ask;
  private final PayloadViews views;

  /** Asks within the time of a page. */
  public DeadPages(Pages pages, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.ask = ask;
    this.views = views;
  }

  private record Read(DeadLetterFigures figures, List<Cause> causes, long count) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/dead")
  ResponseEntity<byte[]> causes(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam Map<String, String> parameters) {
    Viewer viewer = new Viewer(caller, database.name());
    LetterFilter filter =
        LetterFilter.of(parameters).checkedFor(viewer, views.of(caller, database));
    DeadLetters letters = database.deadLetters();
    Read read =
        ask.now(
            database,
            () -> {
              List<Cause> causes = letters.causes(filter.query(), CAUSES);
              return new Read(
                  letters.figures(DAYS),
                  causes,
                  causes.size() < CAUSES
                      ? causes.stream().mapToLong(Cause::letters).sum()
                      : letters.count(filter.query()));
            });
    Links links = pages.links(database);
    DeadLetterFigures figures = read.figures();
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("filter", filter);
    model.put("figures", figures);
    model.put("count", read.count());
    model.put("sentence", sentence(figures, read, filter));
    model.put("causes", CauseRow.of(read.causes(), views.of(caller, database), links));
    model.put("many", read.causes().size() == CAUSES);
    model.put("bars", Bars.of(figures.perDay(), DAYS));
    model.put(
        "reasons", Rank.of(figures.byReason(), name -> links.to("dead", Map.of("reason", name))));
    model.put("types", Rank.of(figures.byType(), name -> links.to("dead", Map.of("type", name))));
    model.put("success", Math.round(100 * figures.successShare()) + " %");
    model.put("chips", filter.chips(links, "dead"));
    model.put("steps", read.count() == 0 ? List.of() : steps(filter, read.count(), links));
    model.put("list", links.to("dead/list", filter.values()));
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn dead groups" + filter.options(),
            "/api/v1/databases/%s/dead-letters/causes".formatted(database.name())));
    return pages.page(request, caller, database, "dead", "dead", "Dead letters", model);
  }

  private static String sentence(DeadLetterFigures figures, Read read, LetterFilter filter) {
    if (!filter.isEmpty()) {
      return "%s of %s match."
          .formatted(
              Words.of(read.count(), "dead letter"), Words.of(read.causes().size(), "cause"));
    }
    if (figures.waiting() == 0) {
      return "No dead letter waits. Every message was delivered, or still is on its way.";
    }
    String oldest =
        figures.oldest() == null
            ? ""
            : " The oldest died %s.".formatted(Words.ago(figures.oldest()));
    return "%s %s for a person, of %s.%s"
        .formatted(
            Words.of(figures.waiting(), "dead letter"),
            figures.waiting() == 1 ? "waits" : "wait",
            read.causes().size() == CAUSES
                ? "more than 50 causes"
                : Words.of(read.causes().size(), "cause"),
            oldest);
  }

  private static List<Step> steps(LetterFilter filter, long count, Links links) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>(filter.values());
    String all = count == 1 ? "the letter" : "all " + Words.number(count);
    return List.of(
        Step.act("Requeue " + all, links.act("requeue-all", values)),
        Step.act("Discard " + all, links.act("discard-all", values)).danger());
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/dead/list")
  ResponseEntity<byte[]> list(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam Map<String, String> parameters,
      @RequestParam(required = false) @Nullable UUID after) {
    Viewer viewer = new Viewer(caller, database.name());
    LetterFilter filter =
        LetterFilter.of(parameters).checkedFor(viewer, views.of(caller, database));
    Links links = pages.links(database);
    Map<String, @Nullable Object> model = new HashMap<>();
    letters(caller, database, filter, after, "dead/list", links, model);
    model.put("filter", filter);
    model.put("chips", filter.chips(links, "dead/list"));
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn dead list" + filter.options(),
            "/api/v1/databases/%s/dead-letters".formatted(database.name())));
    return pages.page(
        request, caller, database, "letters", "dead", "Dead letters, one by one", model);
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/dead/causes/{cause}")
  ResponseEntity<byte[]> cause(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @PathVariable String cause,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable UUID after) {
    Links links = pages.links(database);
    LetterFilter filter =
        LetterFilter.of(Map.of("cause", cause, "state", state == null ? "" : state));
    Map<String, @Nullable Object> model = new HashMap<>();
    letters(caller, database, filter, after, "dead/causes/" + cause, links, model);
    DeadLetters letters = database.deadLetters();
    List<Cause> found =
        ask.now(
            database,
            () -> letters.causes(DeadLetterQuery.builder().fingerprint(cause).build(), 1));
    CauseNote note = ask.now(database, () -> letters.noteOf(cause)).orElse(null);
    List<?> rows = (List<?>) java.util.Objects.requireNonNull(model.get("letters"));
    if (found.isEmpty() && note == null && rows.isEmpty() && state == null) {
      long ever = ask.now(database, () -> letters.count(filter.with("state", "all").query()));
      if (ever == 0) {
        throw new PosthornException(
            ErrorCode.NOT_FOUND, "there is no dead letter with cause '%s'.".formatted(cause));
      }
    }
    Cause one = found.isEmpty() ? null : found.get(0);
    PayloadView view = views.of(caller, database);
    model.put("fingerprint", cause);
    model.put("cause", one);
    model.put("note", note);
    model.put("error", one == null ? null : CauseRow.error(one, view));
    model.put("bars", one == null ? null : Bars.of(one.perDay(), DAYS));
    model.put("state", filter.value("state"));
    model.put("steps", one == null ? List.of() : causeSteps(cause, one.letters(), links));
    model.put(
        "noteSteps",
        List.of(Step.act(note == null ? "Add a note" : "Edit", links.act("note", "cause", cause))));
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn dead list --cause " + Equivalent.quoted(cause),
            "/api/v1/databases/%s/dead-letters?cause=%s".formatted(database.name(), cause)));
    return pages.page(request, caller, database, "cause", "dead", "Cause " + cause, model);
  }

  private static List<Step> causeSteps(String cause, long count, Links links) {
    String all = count == 1 ? "the letter" : "all " + Words.number(count);
    return List.of(
        Step.act("Requeue " + all, links.act("requeue-all", "cause", cause)).primary(),
        Step.act("Send once", links.act("send-all", "cause", cause)),
        Step.act("Discard " + all, links.act("discard-all", "cause", cause)).danger());
  }

  private void letters(
      Caller caller,
      OperatedDatabase database,
      LetterFilter filter,
      @Nullable UUID after,
      String page,
      Links links,
      Map<String, @Nullable Object> model) {
    DeadLetters letters = database.deadLetters();
    List<DeadLetter> read =
        ask.now(
            database,
            () -> {
              DeadLetter last =
                  after == null ? null : letters.find(after).map(one -> one.letter()).orElse(null);
              return letters.list(filter.query(), last, PAGE + 1);
            });
    boolean more = read.size() > PAGE;
    List<DeadLetter> shown = more ? read.subList(0, PAGE) : read;
    model.put("letters", LetterRow.of(shown, views.of(caller, database)));
    model.put("next", more ? place(links, page, filter, shown.get(PAGE - 1).id()) : null);
    model.put("first", after == null ? null : place(links, page, filter, null));
  }

  private static String place(Links links, String page, LetterFilter filter, @Nullable UUID after) {
    Map<String, @Nullable Object> parameters = new LinkedHashMap<>(filter.values());
    if (page.startsWith("dead/causes/")) {
      parameters.remove("cause");
    }
    parameters.put("after", after);
    return links.to(page, parameters);
  }
}

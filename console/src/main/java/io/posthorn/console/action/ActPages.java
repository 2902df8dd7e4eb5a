package io.posthorn.console.action;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.error.Statuses;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.live.Live;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.ErrorPages;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.SameOrigin;
import io.posthorn.console.page.Viewer;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriUtils;

/**
 * The one dialog of all actions: what will happen, why, the deed. The same address is a page of its
 * own where there are no scripts.
 */
@RestController
public final class ActPages {
  private static final String PART = "X-Posthorn-Part";
  private static final String BACK = "X-Posthorn-Back";
  private static final Pattern ADDRESS = Pattern.compile("/[\\w%.~:@!$&'()*+,;=?/-]*");

  private final Map<String, Act> acts;
  private final Pages pages;
  private final Live live;
  private final Ask ask;
  private final PayloadViews views;

  /** Offers all actions. */
  public ActPages(Pages pages, Live live, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.live = live;
    this.ask = ask;
    this.views = views;
    this.acts =
        List.of(
                SteeringActs.all(),
                ParkedActs.all(),
                LetterActs.all(),
                BulkActs.all(),
                OperationActs.all())
            .stream()
            .flatMap(List::stream)
            .collect(Collectors.toMap(Act::name, Function.identity()));
  }

  @Needs(Right.OPERATE)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/act/{action}")
  ResponseEntity<byte[]> propose(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @PathVariable String action,
      @RequestParam Map<String, String> parameters) {
    Act act = act(action);
    Asked asked = asked(caller, database, parameters);
    try {
      Proposal proposal = ask.now(database, () -> act.propose(asked));
      return dialog(HttpStatus.OK, request, caller, asked, act, proposal, null);
    } catch (PosthornException e) {
      return refused(request, caller, asked, act, e);
    }
  }

  @Needs(Right.OPERATE)
  @PostMapping("${posthorn.console.path:/posthorn}/{database}/act/{action}")
  ResponseEntity<byte[]> perform(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @PathVariable String action,
      @RequestParam Map<String, String> parameters) {
    Act act = act(action);
    Asked asked = asked(caller, database, parameters);
    if (!SameOrigin.sent(request)) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "nothing was done: the form was sent by another site. Open the console and do it there.");
    }
    try {
      if (!asked.value("step").equals("do")) {
        Proposal proposal = ask.now(database, () -> act.propose(asked));
        return dialog(HttpStatus.OK, request, caller, asked, act, proposal, null);
      }
      Proposal proposal = ask.now(database, () -> act.propose(asked));
      Actor by =
          new Actor(
              caller.name(),
              proposal.asksWhy() ? asked.value("why").strip() : "asked in the console");
      Done done = ask.within(Ask.LONG, database, () -> act.perform(asked, by));
      live.changed(database.name());
      return done(request, asked, done);
    } catch (PosthornException e) {
      return refused(request, caller, asked, act, e);
    }
  }

  private Act act(String name) {
    Act act = acts.get(name);
    if (act == null) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND, "nothing was done: there is no action '%s'.".formatted(name));
    }
    return act;
  }

  private Asked asked(Caller caller, OperatedDatabase database, Map<String, String> parameters) {
    return new Asked(
        database,
        new Viewer(caller, database.name()),
        views.of(caller, database),
        pages.links(database),
        live,
        parameters);
  }

  private ResponseEntity<byte[]> done(HttpServletRequest request, Asked asked, Done done) {
    String next = done.next() == null ? asked.value("back") : done.next();
    if (!isOurs(next, asked)) {
      next = asked.links().overview();
    }
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(isPart(request) ? HttpStatus.OK : HttpStatus.SEE_OTHER)
            .header("Cache-Control", "no-store")
            .header("X-Posthorn-Next", next)
            .header("X-Posthorn-Said", UriUtils.encode(done.said(), UTF_8));
    if (done.undo() != null) {
      answer.header("X-Posthorn-Undo", done.undo());
    }
    return isPart(request) ? answer.build() : answer.location(URI.create(next)).build();
  }

  private ResponseEntity<byte[]> refused(
      HttpServletRequest request, Caller caller, Asked asked, Act act, PosthornException e) {
    String text = ErrorPages.sentence(ErrorPages.text(e));
    Proposal proposal;
    try {
      proposal = ask.now(asked.database(), () -> act.propose(asked));
    } catch (PosthornException again) {
      proposal = Proposal.of("Not possible", "").withoutWhy();
      return dialog(
          Statuses.of(e.code()), request, caller, asked, act, proposal.impossible(text), null);
    }
    return dialog(Statuses.of(e.code()), request, caller, asked, act, proposal, text);
  }

  private ResponseEntity<byte[]> dialog(
      HttpStatus status,
      HttpServletRequest request,
      Caller caller,
      Asked asked,
      Act act,
      Proposal proposal,
      @Nullable String refused) {
    Links links = asked.links();
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("p", proposal);
    model.put("refused", refused);
    model.put("why", asked.value("why"));
    model.put("action", links.to("act/" + act.name()));
    model.put("back", back(request, asked));
    model.put("part", isPart(request));
    return pages.answer(
        // The dialog shows a refusal itself; a page of its own says it with its status, too.
        isPart(request) ? HttpStatus.OK : status,
        request,
        caller,
        asked.database(),
        isPart(request) ? "act-dialog" : "act",
        "-",
        proposal.title(),
        model);
  }

  private static boolean isPart(HttpServletRequest request) {
    return request.getHeader(PART) != null;
  }

  /** Whether an address leads to a page of this database, and nowhere else. */
  private static boolean isOurs(String address, Asked asked) {
    return address.startsWith(asked.links().to("")) && ADDRESS.matcher(address).matches();
  }

  /** The page that the person came from, if it is one of this database. */
  private static String back(HttpServletRequest request, Asked asked) {
    String given = asked.value("back");
    if (isOurs(given, asked)) {
      return given;
    }
    String from = request.getHeader(BACK);
    if (from != null && isOurs(from, asked) && !from.contains("/act/")) {
      return from;
    }
    return asked.links().overview();
  }
}

package io.posthorn.console.destination;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.Sample;
import io.posthorn.console.overview.Change;
import io.posthorn.console.overview.DestinationStates;
import io.posthorn.console.overview.OverviewOf;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.KeyText;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Route;
import io.posthorn.core.operate.steering.Steering;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
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

/** All destinations, and each of them. */
@RestController
public final class DestinationPages {
  private static final int PAGE = 25;
  private static final int PAUSES = 200;

  private final Pages pages;
  private final Live live;
  private final Ask ask;
  private final PayloadViews views;

  /** Shows the newest figures. */
  public DestinationPages(Pages pages, Live live, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.live = live;
    this.ask = ask;
    this.views = views;
  }

  private record Steered(List<Pause> pauses, List<Route> routes) {}

  private record One(List<Pause> pauses, List<Route> routes, List<ParkedMessage> parked) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/destinations")
  ResponseEntity<byte[]> list(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam(required = false) @Nullable String name,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable UUID after) {
    if (name != null) {
      return one(request, caller, database, name, key, after);
    }
    Sample sample = live.now(database);
    Steered steered =
        ask.now(
            database,
            () -> {
              Steering steering = database.steering();
              return new Steered(steering.pauses(PAUSES), steering.routes(null));
            });
    Links links = pages.links(database);
    return pages.page(
        request,
        caller,
        database,
        "destinations",
        "destinations",
        "Destinations",
        Map.of(
            "o", new OverviewOf(sample, live.history(database.name()), links).make(),
            "pauses", PauseRow.of(steered.pauses(), links),
            "routes", steered.routes(),
            "all", List.of(Step.act("Pause everything", links.act("pause", "all", "true"))),
            "equivalent",
                Equivalent.get(
                    "posthorn destinations list",
                    "/api/v1/databases/%s/destinations".formatted(database.name()))));
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/destinations/{destination}")
  ResponseEntity<byte[]> show(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @PathVariable String destination,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable UUID after) {
    return one(request, caller, database, destination, key, after);
  }

  private ResponseEntity<byte[]> one(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      String name,
      @Nullable String key,
      @Nullable UUID after) {
    Sample sample = live.now(database);
    Backlog backlog =
        sample
            .destination(name)
            .orElseThrow(
                () ->
                    new PosthornException(
                        ErrorCode.NOT_FOUND,
                        "there is no destination '%s'. The overview lists all destinations."
                            .formatted(name)));
    Key one = key == null || key.isBlank() ? null : KeyText.parse(key);
    One read = ask.now(database, () -> read(database.steering(), name, one, after));
    Links links = pages.links(database);
    PayloadView view = views.of(caller, database);
    boolean more = read.parked().size() > PAGE;
    List<ParkedMessage> shown = more ? read.parked().subList(0, PAGE) : read.parked();
    OverviewOf overview = new OverviewOf(sample, live.history(database.name()), links);
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("name", name);
    model.put("d", backlog.status());
    model.put("backlog", backlog);
    model.put("badge", DestinationStates.badge(backlog, sample));
    model.put("why", DestinationStates.why(backlog, sample));
    model.put("problems", overview.problemsOf(backlog));
    model.put("spark", new Change(live.history(database.name())).waitingOf(name));
    model.put("steps", steps(backlog.status(), links));
    model.put("rate", rate(backlog.status()));
    model.put("pauses", PauseRow.of(read.pauses(), links));
    model.put("routes", read.routes());
    model.put(
        "checks",
        sample.checks().stream().filter(check -> check.destination().equals(name)).toList());
    model.put("key", one == null ? null : one.toString());
    model.put(
        "parked", shown.stream().map(message -> ParkedRow.of(name, message, view, links)).toList());
    model.put("next", more ? next(links, name, key, shown.get(PAGE - 1).messageId()) : null);
    model.put("first", after == null ? null : next(links, name, key, null));
    model.put(
        "equivalent",
        Equivalent.get(
            one == null
                ? "posthorn parked list " + Equivalent.quoted(name)
                : "posthorn parked list %s --key %s"
                    .formatted(Equivalent.quoted(name), Equivalent.quoted(one.toString())),
            "/api/v1/databases/%s/destinations/%s/parked".formatted(database.name(), name)));
    return pages.page(request, caller, database, "destination", "destinations", name, model);
  }

  private static One read(Steering steering, String name, @Nullable Key key, @Nullable UUID after) {
    List<Pause> pauses =
        steering.pauses(PAUSES).stream()
            .filter(
                pause ->
                    pause.scope().destination() == null || name.equals(pause.scope().destination()))
            .toList();
    List<ParkedMessage> parked =
        key == null
            ? steering.parked(name, after, PAGE + 1)
            : steering.parked(name, key, after, PAGE + 1);
    return new One(pauses, steering.routes(name), parked);
  }

  private static String next(Links links, String name, @Nullable String key, @Nullable UUID after) {
    Map<String, @Nullable Object> parameters = new HashMap<>();
    parameters.put("name", name);
    parameters.put("key", key);
    parameters.put("after", after);
    return links.to("destinations", parameters) + "#parked";
  }

  private static @Nullable String rate(DestinationStatus status) {
    Double rate = status.ratePerSecond();
    return rate == null ? null : DestinationStates.rate(rate);
  }

  private static List<Step> steps(DestinationStatus status, Links links) {
    if (status.name().equals(Sample.UNROUTED)) {
      return List.of();
    }
    List<Step> steps = new ArrayList<>();
    Pause pause = status.pause();
    if (pause == null) {
      steps.add(Step.act("Pause", links.act("pause", "destination", status.name())));
    } else if (pause.scope().destination() == null) {
      steps.add(Step.act("Resume everything", links.act("resume", "all", "true")).primary());
    } else {
      steps.add(Step.act("Resume", links.act("resume", "destination", status.name())).primary());
    }
    steps.add(Step.act("Limit the rate", links.act("limit", "destination", status.name())));
    steps.add(Step.act("Check again now", links.act("check", "destination", status.name())));
    if (status.parked() > 0) {
      steps.add(Step.act("Retry now", links.act("retry", "destination", status.name())));
    }
    return steps;
  }
}

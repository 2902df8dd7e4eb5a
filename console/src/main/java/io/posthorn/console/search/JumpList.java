package io.posthorn.console.search;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Viewer;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Finds where a few characters may lead: ids by their beginning, keys, types, destinations, pages.
 */
@RestController
public final class JumpList {
  private static final Pattern ID = Pattern.compile("[0-9a-fA-F-]{4,36}");
  private static final int MOST = 5;
  private static final List<String> PAGES =
      List.of(
          "messages",
          "dead",
          "operations",
          "destinations",
          "consumers",
          "relays",
          "audit",
          "doctor");

  private final Pages pages;
  private final Live live;
  private final Ask ask;

  /** Asks within the time of a page. */
  public JumpList(Pages pages, Live live, Ask ask) {
    this.pages = pages;
    this.live = live;
    this.ask = ask;
  }

  /** Where one may go. */
  public record Place(String kind, String name, String href) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/jump")
  ResponseEntity<byte[]> find(
      Caller caller, OperatedDatabase database, @RequestParam(defaultValue = "") String q) {
    String text = q.strip();
    Links links = pages.links(database);
    List<Place> places = new ArrayList<>();
    if (text.length() <= 500) {
      ids(database, text, links, places);
      destinations(database, text, links, places);
      pages(text, links, places);
      if (!text.isEmpty()) {
        places.add(new Place("key", text, links.to("messages", Map.of("key", text))));
        places.add(new Place("type", text, links.to("messages", Map.of("type", text))));
        places.add(
            new Place("correlation", text, links.to("messages", Map.of("correlation", text))));
        if (caller.may(Right.READ_PAYLOADS, database.name())) {
          places.add(new Place("error text", text, links.to("dead", Map.of("error", text))));
        }
      }
    }
    return pages.html(
        HttpStatus.OK,
        pages.part(
            links,
            new Viewer(caller, database.name()),
            "jump",
            Set.of("places"),
            Map.of("places", places)));
  }

  private void ids(OperatedDatabase database, String text, Links links, List<Place> places) {
    if (!ID.matcher(text).matches() || text.replace("-", "").length() < IdPrefix.SHORTEST) {
      return;
    }
    IdPrefix prefix =
        IdPrefix.of(text.replace("-", "").length() > 32 ? text.substring(0, 32) : text);
    List<List<UUID>> found =
        ask.now(
            database,
            () ->
                List.of(
                    database.store().ids(IdKind.LETTER, prefix, MOST),
                    database.store().ids(IdKind.MESSAGE, prefix, MOST),
                    database.store().ids(IdKind.OPERATION, prefix, MOST)));
    found
        .get(0)
        .forEach(id -> places.add(new Place("dead letter", id.toString(), links.letter(id))));
    found.get(1).forEach(id -> places.add(new Place("message", id.toString(), links.message(id))));
    found
        .get(2)
        .forEach(id -> places.add(new Place("operation", id.toString(), links.operation(id))));
  }

  private void destinations(
      OperatedDatabase database, String text, Links links, List<Place> places) {
    live.now(database).status().destinations().stream()
        .map(one -> one.status().name())
        .filter(name -> name.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT)))
        .limit(text.isEmpty() ? 8 : MOST)
        .forEach(name -> places.add(new Place("destination", name, links.destination(name))));
  }

  private static void pages(String text, Links links, List<Place> places) {
    for (String page : PAGES) {
      String name = page.equals("dead") ? "dead letters" : page;
      if (name.startsWith(text.toLowerCase(Locale.ROOT))) {
        places.add(new Place("page", Words.text(name), links.to(page)));
      }
    }
  }
}

package io.posthorn.console.database;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.Sample;
import io.posthorn.console.overview.Overview;
import io.posthorn.console.overview.OverviewOf;
import io.posthorn.console.page.AwayException;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Pages;
import io.posthorn.console.text.Words;
import io.posthorn.core.error.PosthornException;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** All databases of this process that the viewer may see. */
@RestController
public final class DatabasesPage {
  private final Pages pages;
  private final Live live;
  private final OperatedDatabases databases;

  /** Shows these databases. */
  public DatabasesPage(Pages pages, Live live, OperatedDatabases databases) {
    this.pages = pages;
    this.live = live;
    this.databases = databases;
  }

  /** One database in one row. */
  public record Row(
      String name,
      String environment,
      Badge badge,
      String sentence,
      String waiting,
      String dead,
      String relays) {}

  @Needs(Right.VIEW)
  @GetMapping({"${posthorn.console.path:/posthorn}", "${posthorn.console.path:/posthorn}/"})
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, @RequestParam Optional<String> all) {
    List<OperatedDatabase> mine = databases.of(caller, Right.VIEW);
    if (mine.size() == 1 && all.isEmpty()) {
      return ResponseEntity.status(HttpStatus.FOUND)
          .location(URI.create(pages.links(mine.get(0)).overview()))
          .build();
    }
    // All are asked at once, so that one that hangs does not add to the others.
    List<CompletableFuture<Row>> asked =
        mine.stream()
            .map(
                one ->
                    CompletableFuture.supplyAsync(
                        () -> row(one),
                        work -> new Thread(work, "posthorn-console-databases").start()))
            .toList();
    List<Row> rows = asked.stream().map(CompletableFuture::join).toList();
    long bad = rows.stream().filter(row -> Objects.equals(row.badge().kind(), "trouble")).count();
    String sentence =
        bad == 0
            ? "All %s deliver.".formatted(Words.of(rows.size(), "database"))
            : "%d of %s %s somebody."
                .formatted(bad, Words.of(rows.size(), "database"), bad == 1 ? "needs" : "need");
    return pages.answer(
        HttpStatus.OK,
        request,
        caller,
        null,
        "databases",
        "databases",
        "Databases",
        Map.of("rows", rows, "sentence", sentence));
  }

  private Row row(OperatedDatabase database) {
    try {
      Sample sample = live.now(database);
      Overview overview =
          new OverviewOf(sample, live.history(database.name()), pages.links(database)).make();
      String worst = overview.problems().isEmpty() ? "good" : overview.problems().get(0).kind();
      return new Row(
          database.name(),
          database.environment(),
          switch (worst) {
            case "trouble" -> new Badge("trouble", "trouble", "needs somebody");
            case "dead" -> new Badge("dead", "dead", "letters to decide");
            case "waiting" -> new Badge("waiting", "waiting", "something waits");
            default -> new Badge("good", "good", "delivers");
          },
          overview.sentence(),
          overview.figures().get(1).value(),
          sample.deadText(),
          Words.number(sample.status().relays().size()));
    } catch (AwayException e) {
      return away(database, e.text());
    } catch (PosthornException e) {
      return away(database, "its tables cannot be read");
    }
  }

  private static Row away(OperatedDatabase database, String why) {
    return new Row(
        database.name(),
        database.environment(),
        new Badge("trouble", "trouble", "does not answer"),
        why,
        "not known",
        "not known",
        "not known");
  }
}

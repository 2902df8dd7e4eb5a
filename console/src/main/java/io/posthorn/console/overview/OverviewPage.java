package io.posthorn.console.overview;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.Sample;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Pages;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The overview: is all well? */
@RestController
public final class OverviewPage {
  private final Pages pages;
  private final Live live;

  /** Shows the newest figures. */
  public OverviewPage(Pages pages, Live live) {
    this.pages = pages;
    this.live = live;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database) {
    Sample sample = live.now(database);
    Overview overview =
        new OverviewOf(sample, live.history(database.name()), pages.links(database)).make();
    return pages.page(
        request,
        caller,
        database,
        "overview",
        "",
        "Overview",
        Map.of(
            "o",
            overview,
            "equivalent",
            Equivalent.get(
                "posthorn status", "/api/v1/databases/%s/status".formatted(database.name()))));
  }
}

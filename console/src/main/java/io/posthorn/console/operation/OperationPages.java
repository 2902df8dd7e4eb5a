package io.posthorn.console.operation;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Viewer;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.operation.Operation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** All operations, and each with its progress. */
@RestController
public final class OperationPages {
  private static final int MOST = 100;

  private final Pages pages;
  private final Ask ask;
  private final PayloadViews views;

  /** Asks within the time of a page. */
  public OperationPages(Pages pages, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.ask = ask;
    this.views = views;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/operations")
  ResponseEntity<byte[]> list(
      HttpServletRequest request, Caller caller, OperatedDatabase database) {
    List<Operation> operations = ask.now(database, () -> database.operations().list(MOST));
    Links links = pages.links(database);
    PayloadView view = views.of(caller, database);
    return pages.page(
        request,
        caller,
        database,
        "operations",
        "operations",
        "Operations",
        Map.of(
            "operations",
                operations.stream().map(one -> OperationView.of(one, links, view)).toList(),
            "running",
                operations.stream().filter(one -> one.state() == Operation.State.RUNNING).count(),
            "equivalent",
                Equivalent.get(
                    "posthorn operations list",
                    "/api/v1/databases/%s/operations".formatted(database.name()))));
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/operations/{id}")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database, @PathVariable UUID id) {
    return pages.page(
        request,
        caller,
        database,
        "operation",
        "operations",
        "Operation " + id,
        Map.of(
            "o",
            OperationView.of(find(database, id), pages.links(database), views.of(caller, database)),
            "equivalent",
            Equivalent.get(
                "posthorn operations show " + id,
                "/api/v1/databases/%s/operations/%s".formatted(database.name(), id))));
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/operations/{id}/progress")
  ResponseEntity<byte[]> progress(Caller caller, OperatedDatabase database, @PathVariable UUID id) {
    Links links = pages.links(database);
    return pages.html(
        HttpStatus.OK,
        pages.part(
            links,
            new Viewer(caller, database.name()),
            "operation",
            Set.of("progress"),
            Map.of("o", OperationView.of(find(database, id), links, views.of(caller, database)))));
  }

  private Operation find(OperatedDatabase database, UUID id) {
    return ask.now(database, () -> database.operations().find(id))
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.NOT_FOUND, "there is no operation %s.".formatted(id)));
  }
}

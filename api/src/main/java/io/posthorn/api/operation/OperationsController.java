package io.posthorn.api.operation;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Preview;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/** Bulk actions on dead letters and on sent messages. Relays carry them out. */
@RestController
@RequestMapping("/api/v1/databases/{database}/operations")
public final class OperationsController {
  private final PayloadViews views;

  OperationsController(PayloadViews views) {
    this.views = views;
  }

  /** Lists operations, newest first. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<ShownOperation> list(
      OperatedDatabase database, Caller caller, @RequestParam(defaultValue = "50") int limit) {
    List<Operation> found = database.operations().list(Page.limit(limit));
    return Page.all(found).map(one -> ShownOperation.of(one, views.of(caller, database)));
  }

  /** Shows an operation and its progress. */
  @GetMapping("/{id}")
  @Needs(Right.VIEW)
  public ShownOperation show(OperatedDatabase database, Caller caller, @PathVariable UUID id) {
    Operation found =
        database.operations().find(id).orElseThrow(() -> Requests.missing("operation", id));
    return ShownOperation.of(found, views.of(caller, database));
  }

  /** Counts what an operation would do. It changes nothing. */
  @PostMapping("/preview")
  @Needs(Right.VIEW)
  public Preview preview(OperatedDatabase database, Caller caller, @RequestBody AskedPlan body) {
    checkSearch(body, caller, database);
    return database.operations().preview(body.plan());
  }

  /** Starts an operation. */
  @PostMapping
  @Needs(Right.OPERATE)
  public ResponseEntity<ShownOperation> start(
      OperatedDatabase database, Caller caller, @RequestBody AskedPlan body) {
    checkSearch(body, caller, database);
    Operation started = database.operations().start(body.plan(), Requests.by(caller, body.why()));
    URI location =
        UriComponentsBuilder.fromPath("/api/v1/databases/{database}/operations/{id}")
            .encode()
            .buildAndExpand(database.name(), started.id())
            .toUri();
    return ResponseEntity.accepted()
        .location(location)
        .body(ShownOperation.of(started, views.of(caller, database)));
  }

  private void checkSearch(AskedPlan body, Caller caller, OperatedDatabase database) {
    if (body.letters() != null) {
      body.letters().checkSearch(caller, database, views.of(caller, database));
    }
  }

  /** Stops a running operation. What it has queued is still delivered. */
  @PostMapping("/{id}/stop")
  @Needs(Right.OPERATE)
  public ShownOperation stop(
      OperatedDatabase database, Caller caller, @PathVariable UUID id, @RequestBody Why body) {
    Operation stopped = database.operations().stop(id, Requests.by(caller, body.why()));
    return ShownOperation.of(stopped, views.of(caller, database));
  }

  /** Resumes a stopped operation where it stopped. */
  @PostMapping("/{id}/resume")
  @Needs(Right.OPERATE)
  public ShownOperation resume(
      OperatedDatabase database, Caller caller, @PathVariable UUID id, @RequestBody Why body) {
    Operation resumed = database.operations().resume(id, Requests.by(caller, body.why()));
    return ShownOperation.of(resumed, views.of(caller, database));
  }
}

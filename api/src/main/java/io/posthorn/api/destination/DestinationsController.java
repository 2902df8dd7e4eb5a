package io.posthorn.api.destination;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Counted;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.api.task.Task;
import io.posthorn.api.task.Tasks;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Route;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Destinations: their state, and changing how they are delivered to. */
@RestController
@RequestMapping("/api/v1/databases/{database}")
public final class DestinationsController {
  private final Tasks tasks;

  DestinationsController(Tasks tasks) {
    this.tasks = tasks;
  }

  /**
   * A rate.
   *
   * @param perSecond the most messages per second; null restores the configured rate
   */
  public record Limit(@Nullable Double perSecond, @Nullable String why) {}

  /**
   * Which routes to remove. At least one of the two must be given.
   *
   * @param types only routes of these types; empty for all
   * @param application only routes of this application; null for all
   */
  public record Narrow(
      @Nullable Set<String> types, @Nullable String application, @Nullable String why) {}

  /** Lists the destinations and their states. */
  @GetMapping("/destinations")
  @Needs(Right.VIEW)
  public Page<DestinationStatus> list(OperatedDatabase database) {
    return Page.all(database.steering().destinations());
  }

  /** Shows one destination. */
  @GetMapping("/destinations/{destination}")
  @Needs(Right.VIEW)
  public DestinationStatus show(OperatedDatabase database, @PathVariable String destination) {
    return database.steering().destinations().stream()
        .filter(one -> one.name().equals(destination))
        .findFirst()
        .orElseThrow(() -> Requests.missing("destination", destination));
  }

  /** Pauses a destination. */
  @PostMapping("/destinations/{destination}/pause")
  @Needs(Right.OPERATE)
  public Changed pause(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Why body) {
    Actor by = Requests.by(caller, body.why());
    return new Changed(database.steering().pause(destination, by));
  }

  /** Resumes a destination. */
  @PostMapping("/destinations/{destination}/resume")
  @Needs(Right.OPERATE)
  public Changed resume(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Why body) {
    Actor by = Requests.by(caller, body.why());
    return new Changed(database.steering().resume(destination, by));
  }

  /** Limits the rate of a destination. */
  @PutMapping("/destinations/{destination}/limit")
  @Needs(Right.OPERATE)
  public Changed limit(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Limit body) {
    Actor by = Requests.by(caller, body.why());
    return new Changed(database.steering().limit(destination, body.perSecond(), by));
  }

  /** Lists the routes of one destination, or of all. */
  @GetMapping("/routes")
  @Needs(Right.VIEW)
  public Page<Route> routes(
      OperatedDatabase database, @RequestParam(required = false) @Nullable String destination) {
    return Page.all(database.steering().routes(destination));
  }

  /** Removes routes that no application wants any more. */
  @PostMapping("/destinations/{destination}/narrow")
  @Needs(Right.ADMINISTER)
  public Counted narrow(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Narrow body) {
    Set<String> types = body.types() == null ? Set.of() : body.types();
    if (types.isEmpty() && body.application() == null) {
      throw Requests.wrong(
          "no route was removed: name 'types', 'application' or both; GET …/routes lists the routes.");
    }
    Actor by = Requests.by(caller, body.why());
    return new Counted(database.steering().narrow(destination, types, body.application(), by));
  }

  /** Removes a destination for good. The answer counts the new dead letters. */
  @PostMapping("/destinations/{destination}/remove")
  @Needs(Right.ADMINISTER)
  public Counted remove(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Why body) {
    Actor by = Requests.by(caller, body.why());
    return new Counted(database.steering().remove(destination, by));
  }

  /** Moves the undelivered messages of a destination out of the log. */
  @PostMapping("/destinations/{destination}/spill")
  @Needs(Right.OPERATE)
  public ResponseEntity<Task> spill(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody Why body) {
    Actor by = Requests.by(caller, body.why());
    show(database, destination);
    return tasks.start(
        database,
        caller,
        "spill " + destination,
        progress -> new Counted(database.store().spill(destination, by)));
  }

  /** What relays found when they last checked whether they could send. */
  @GetMapping("/checks")
  @Needs(Right.VIEW)
  public Page<DestinationCheck> checks(OperatedDatabase database) {
    return Page.all(database.steering().checks());
  }

  /** Asks the relays to check one destination, or all, within a second or two. */
  @PostMapping("/checks")
  @Needs(Right.OPERATE)
  @ResponseStatus(HttpStatus.ACCEPTED)
  public Changed check(
      OperatedDatabase database, @RequestParam(required = false) @Nullable String destination) {
    database.steering().lookAgain(destination);
    return new Changed(true);
  }

  /** Lists the live relays, oldest first, and how many lanes each holds. */
  @GetMapping("/relays")
  @Needs(Right.VIEW)
  public Page<io.posthorn.core.operate.status.Status.LiveRelay> relays(OperatedDatabase database) {
    return Page.all(List.copyOf(database.store().status().relays()));
  }
}

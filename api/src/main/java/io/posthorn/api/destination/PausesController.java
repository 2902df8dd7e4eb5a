package io.posthorn.api.destination;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.AskedKey;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Pauses of everything, of destinations, of types and of keys. */
@RestController
@RequestMapping("/api/v1/databases/{database}/pauses")
public final class PausesController {
  /**
   * What to pause or to resume. Without destination, type and key it is everything.
   *
   * @param destination null for all destinations
   * @param type null for all types
   * @param key a key of the destination; null for all keys
   */
  public record AskedScope(
      @Nullable String destination,
      @Nullable String type,
      @Nullable AskedKey key,
      @Nullable String why) {
    Scope scope() {
      if (key != null && (destination == null || type != null)) {
        throw Requests.wrong(
            "nothing was done: a key can only be paused for one destination and all types. Name 'destination', and leave 'type' out.");
      }
      return new Scope(destination, type, AskedKey.of(key));
    }
  }

  /** Lists the pauses, oldest first. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<Pause> list(OperatedDatabase database, @RequestParam(defaultValue = "50") int limit) {
    return Page.all(database.steering().pauses(Page.limit(limit)));
  }

  /** Pauses everything in the scope. */
  @PostMapping
  @Needs(Right.OPERATE)
  public Changed pause(OperatedDatabase database, Caller caller, @RequestBody AskedScope body) {
    return new Changed(database.steering().pause(body.scope(), Requests.by(caller, body.why())));
  }

  /** Resumes the scope. */
  @PostMapping("/resume")
  @Needs(Right.OPERATE)
  public Changed resume(OperatedDatabase database, Caller caller, @RequestBody AskedScope body) {
    return new Changed(database.steering().resume(body.scope(), Requests.by(caller, body.why())));
  }
}

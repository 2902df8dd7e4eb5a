package io.posthorn.api.destination;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.request.AskedKey;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Counted;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.ParkedMessage;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What is parked for a destination. */
@RestController
@RequestMapping("/api/v1/databases/{database}/destinations/{destination}")
public final class ParkedController {
  private final PayloadViews views;

  ParkedController(PayloadViews views) {
    this.views = views;
  }

  /** A key, and why. */
  public record OfKey(@Nullable AskedKey key, @Nullable String why) {}

  /**
   * A new time.
   *
   * @param at for example {@code 2026-01-31T10:00:00Z}
   */
  public record Reschedule(@Nullable String at, @Nullable String why) {}

  /** Lists the first parked message of each key; or all of one key, in order. */
  @GetMapping("/parked")
  @Needs(Right.VIEW)
  public Page<ParkedMessage> list(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestParam(required = false) @Nullable String aggregateType,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable UUID after,
      @RequestParam(defaultValue = "50") int limit) {
    Key one = AskedKey.of(aggregateType, key);
    int most = Page.limit(limit);
    List<ParkedMessage> found =
        one == null
            ? database.steering().parked(destination, after, most)
            : database.steering().parked(destination, one, after, most);
    PayloadView view = views.of(caller, database);
    return Page.of(found, most, ParkedMessage::messageId).map(message -> shown(message, view));
  }

  private static ParkedMessage shown(ParkedMessage one, PayloadView view) {
    return new ParkedMessage(
        one.messageId(),
        one.type(),
        one.key(),
        one.waiting(),
        one.attempts(),
        one.nextAttemptAt(),
        one.lastReason(),
        view.error(one.lastError(), one.type()),
        one.held(),
        one.keyPaused(),
        one.behind());
  }

  /** Retries at once what waits for its next attempt: of one key, or all. */
  @PostMapping("/parked/retry")
  @Needs(Right.OPERATE)
  public Counted retry(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody OfKey body) {
    return new Counted(
        database
            .steering()
            .retryNow(destination, AskedKey.of(body.key()), Requests.by(caller, body.why())));
  }

  /** Gives up one parked message. */
  @PostMapping("/parked/{message}/skip")
  @Needs(Right.OPERATE)
  public Changed skip(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @PathVariable UUID message,
      @RequestBody Why body) {
    database.steering().skip(destination, message, Requests.by(caller, body.why()));
    return new Changed(true);
  }

  /** Gives a scheduled message another time. */
  @PostMapping("/parked/{message}/reschedule")
  @Needs(Right.OPERATE)
  public Changed reschedule(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @PathVariable UUID message,
      @RequestBody Reschedule body) {
    Instant at = Objects.requireNonNull(Requests.time("at", Requests.required("at", body.at())));
    database.steering().reschedule(destination, message, at, Requests.by(caller, body.why()));
    return new Changed(true);
  }

  /** Lets a key continue that a dead letter holds. */
  @PostMapping("/keys/release")
  @Needs(Right.OPERATE)
  public Changed release(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String destination,
      @RequestBody OfKey body) {
    Key key = Requests.required("key", body.key()).key();
    return new Changed(
        database.steering().release(destination, key, Requests.by(caller, body.why())));
  }
}

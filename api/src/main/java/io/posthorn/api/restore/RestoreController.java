package io.posthorn.api.restore;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Adoption;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Puts a database back into service after it was restored or copied. */
@RestController
@RequestMapping("/api/v1/databases/{database}/restore")
public final class RestoreController {
  /**
   * How to adopt.
   *
   * @param environment the environment of its relays; required
   * @param how what to do with undelivered messages; required, because a wrong choice sends
   *     everything twice or not at all
   */
  public record Adopting(@Nullable String environment, @Nullable Adopt how, @Nullable String why) {}

  /** Shows what you need to know before you adopt the database. */
  @GetMapping
  @Needs(Right.VIEW)
  public Adoption show(OperatedDatabase database) {
    return database.restore().preview();
  }

  /** Lets relays of an environment deliver from this database. */
  @PostMapping("/adopt")
  @Needs(Right.ADMINISTER)
  public Adoption adopt(OperatedDatabase database, Caller caller, @RequestBody Adopting body) {
    return database
        .restore()
        .adopt(
            Requests.required("environment", body.environment()),
            Requests.required("how", body.how()),
            Requests.by(caller, body.why()));
  }

  /** Keeps relays from sending from this database until it is adopted. */
  @PostMapping("/fence")
  @Needs(Right.ADMINISTER)
  public Changed fence(OperatedDatabase database, Caller caller, @RequestBody Why body) {
    return new Changed(database.restore().fence(Requests.by(caller, body.why())));
  }
}

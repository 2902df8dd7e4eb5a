package io.posthorn.api.mask;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.core.operate.audit.Actor;
import java.util.List;

/** Makes the view that a caller has of a database's payloads. */
public final class PayloadViews {
  private final List<MaskRule> rules;

  /** Views with these rules in all databases. */
  public PayloadViews(List<MaskRule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** The view of this caller. */
  public PayloadView of(Caller caller, OperatedDatabase database) {
    return new PayloadView(caller.may(Right.READ_PAYLOADS, database.name()), rules);
  }

  /**
   * The view without masks, for one message that the caller names. The audit records it before
   * anything is shown, so this fails if the audit cannot be written. Check first that the caller
   * has the right to read payloads.
   *
   * @param target what is unmasked, for example {@code letter 0198…}
   */
  public PayloadView unmasked(OperatedDatabase database, String target, Actor by) {
    database.audit().record(by, "payload.unmask", target);
    return new PayloadView(true, List.of());
  }
}

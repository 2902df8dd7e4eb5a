package io.posthorn.api.mask;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
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
}

package io.posthorn.console.action;

import io.posthorn.core.operate.audit.Actor;

/** Something that a person does: first shown with its consequences, then done. */
interface Act {
  /** Its name in addresses. */
  String name();

  /** Says what would happen. It changes nothing. */
  Proposal propose(Asked asked);

  /** Does it. */
  Done perform(Asked asked, Actor by);
}

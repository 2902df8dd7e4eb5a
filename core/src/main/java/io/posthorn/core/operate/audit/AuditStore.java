package io.posthorn.core.operate.audit;

import java.util.List;

/** The side of a store that returns the audit. Each entry is written together with its action. */
public interface AuditStore {
  /** Returns the entries after this number, oldest first. */
  List<AuditEntry> audit(long after, int limit);

  /**
   * Writes an entry about something that a person has seen, and not changed: every change writes
   * its own entry.
   *
   * @param action what was done, for example {@code payload.unmask}
   * @param target what it was done to
   */
  void record(Actor by, String action, String target);
}

package io.posthorn.core.operate.audit;

import java.util.List;

/** The side of a store that returns the audit. Each entry is written together with its action. */
public interface AuditStore {
  /** Returns the entries after this number, oldest first. */
  List<AuditEntry> audit(long after, int limit);
}

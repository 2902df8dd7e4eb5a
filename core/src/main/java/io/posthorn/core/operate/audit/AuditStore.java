package io.posthorn.core.operate.audit;

import java.util.List;

/** The side of a store that tells what people did. Entries are written with the action itself. */
public interface AuditStore {
  /** The entries after this number, oldest first. */
  List<AuditEntry> audit(long after, int limit);
}

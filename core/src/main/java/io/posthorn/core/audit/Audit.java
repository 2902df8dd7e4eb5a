package io.posthorn.core.audit;

import java.util.List;
import java.util.Optional;

/** Reads the record of actions, and checks that nobody changed it. */
public final class Audit {
  private static final int PAGE = 1_000;

  private final AuditStore store;

  private Audit(AuditStore store) {
    this.store = store;
  }

  public static Audit on(AuditStore store) {
    return new Audit(store);
  }

  /** The entries after this number, oldest first; 0 = from the beginning. */
  public List<AuditEntry> after(long n, int limit) {
    return store.audit(n, limit);
  }

  /**
   * What a check found.
   *
   * @param entries how many were checked
   * @param head the hash of the last one; kept elsewhere, it also shows a cut-off end
   * @param broken the first entry that is missing or not as it was written; empty = all is well
   */
  public record Verdict(long entries, String head, Optional<Long> broken) {}

  public Verdict verify() {
    long n = 0;
    String hash = AuditEntry.START;
    for (List<AuditEntry> page = after(0, PAGE); !page.isEmpty(); page = after(n, PAGE)) {
      for (AuditEntry entry : page) {
        if (entry.n() != n + 1 || !entry.follows(hash)) {
          return new Verdict(n, hash, Optional.of(n + 1));
        }
        n = entry.n();
        hash = entry.hash();
      }
    }
    return new Verdict(n, hash, Optional.empty());
  }
}

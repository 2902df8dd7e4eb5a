package io.posthorn.core.operate.audit;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Reads the audit, and checks that no entry was changed or removed afterwards. Changes record
 * themselves.
 */
public final class Audit {
  private static final int PAGE = 1_000;

  private final AuditStore store;

  private Audit(AuditStore store) {
    this.store = store;
  }

  /** The audit of this store. */
  public static Audit on(AuditStore store) {
    return new Audit(store);
  }

  /** Returns the entries after this number, oldest first; 0 means from the beginning. */
  public List<AuditEntry> after(long n, int limit) {
    return store.audit(n, limit);
  }

  /** Checks all entries. */
  public AuditCheck verify() {
    AuditChain chain = new AuditChain();
    forEach(0, chain::add);
    return chain.result();
  }

  /** Visits the entries after this number, oldest first, until the visitor returns false. */
  public void forEach(long n, Predicate<AuditEntry> visitor) {
    long last = n;
    for (List<AuditEntry> page = after(n, PAGE); !page.isEmpty(); page = after(last, PAGE)) {
      for (AuditEntry entry : page) {
        if (!visitor.test(entry)) {
          return;
        }
        last = entry.n();
      }
    }
  }

  /** Returns the entry with this number; empty if there is none. */
  public Optional<AuditEntry> entry(long n) {
    return after(n - 1, 1).stream().filter(entry -> entry.n() == n).findFirst();
  }

  /**
   * Records that a person has seen something, for example a payload without its masks. Do not call
   * it for a change: each change is recorded together with it.
   */
  public void record(Actor by, String action, String target) {
    store.record(by, action, target);
  }
}

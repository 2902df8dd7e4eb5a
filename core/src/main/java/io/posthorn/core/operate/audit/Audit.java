package io.posthorn.core.operate.audit;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

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
   * @param last the number of the last one
   * @param head the hash of the last one; kept elsewhere, it also shows a cut-off end
   * @param broken the first entry that is missing or not as it was written; empty = all is well
   */
  public record Verdict(long entries, long last, String head, Optional<Long> broken) {}

  public Verdict verify() {
    AuditChain chain = new AuditChain();
    forEach(0, chain::add);
    return chain.verdict();
  }

  /** All entries after this number, oldest first, until the visitor has seen enough. */
  public void forEach(long n, Predicate<AuditEntry> goOn) {
    long last = n;
    for (List<AuditEntry> page = after(n, PAGE); !page.isEmpty(); page = after(last, PAGE)) {
      for (AuditEntry entry : page) {
        if (!goOn.test(entry)) {
          return;
        }
        last = entry.n();
      }
    }
  }

  /** The entry with this number. */
  public Optional<AuditEntry> entry(long n) {
    return after(n - 1, 1).stream().filter(entry -> entry.n() == n).findFirst();
  }
}

package io.posthorn.core.operate.audit;

import java.util.Optional;

/**
 * Follows the chain of the audit, entry by entry: from its beginning, or from an entry whose hash
 * is known.
 */
public final class AuditChain {
  private long n;
  private String hash;
  private long entries;
  private Optional<Long> broken = Optional.empty();

  /** Goes on behind entry {@code n}, which has this hash. */
  public AuditChain(long n, String hash) {
    this.n = n;
    this.hash = hash;
  }

  /** From the beginning. */
  public AuditChain() {
    this(0, AuditEntry.START);
  }

  /** The next one; false if the chain is broken, here or before. */
  public boolean add(AuditEntry entry) {
    if (broken.isEmpty()) {
      if (entry.n() == n + 1 && entry.follows(hash)) {
        n = entry.n();
        hash = entry.hash();
        entries++;
      } else {
        broken = Optional.of(n + 1);
      }
    }
    return broken.isEmpty();
  }

  public Audit.Verdict verdict() {
    return new Audit.Verdict(entries, n, hash, broken);
  }
}

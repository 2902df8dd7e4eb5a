package io.posthorn.core.operate.audit;

import java.util.Optional;

/**
 * Checks the chain of the audit entry by entry, from its beginning or from an entry whose hash is
 * known.
 */
public final class AuditChain {
  private long n;
  private String hash;
  private long entries;
  private Optional<Long> broken = Optional.empty();

  /** Starts after entry {@code n}, which has this hash. */
  public AuditChain(long n, String hash) {
    this.n = n;
    this.hash = hash;
  }

  /** Starts at the beginning. */
  public AuditChain() {
    this(0, AuditEntry.START);
  }

  /** Adds the next entry. Returns false if the chain is broken here or was broken before. */
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

  /** The result so far. */
  public AuditCheck result() {
    return new AuditCheck(entries, n, hash, broken);
  }
}

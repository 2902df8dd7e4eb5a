package io.posthorn.core.operate.audit;

import java.util.Optional;

/**
 * The result of a check of the audit.
 *
 * @param entries the number of entries checked
 * @param last the number of the last intact entry
 * @param head the hash of that entry. If you keep it elsewhere, a later check also notices that the
 *     end was cut off
 * @param broken the number of the first entry that is missing or was changed; empty if all entries
 *     are intact
 */
public record AuditCheck(long entries, long last, String head, Optional<Long> broken) {}

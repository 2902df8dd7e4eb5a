/**
 * Retention: removes old leaves of the log, dead letters, attempts and receipts, and reports what
 * is kept, and why.
 */
@NullMarked
package io.posthorn.postgresql.operate.retention;

import org.jspecify.annotations.NullMarked;

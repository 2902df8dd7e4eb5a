/**
 * Removes what is over: leaves of the log, dead letters, attempts, receipts; and says what stays,
 * and why.
 */
@NullMarked
package io.posthorn.postgresql.operate.retention;

import org.jspecify.annotations.NullMarked;

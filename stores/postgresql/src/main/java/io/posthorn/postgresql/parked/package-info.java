/** Messages outside the log: parked, retried, held behind others of their key, given up. */
@NullMarked
package io.posthorn.postgresql.parked;

import org.jspecify.annotations.NullMarked;

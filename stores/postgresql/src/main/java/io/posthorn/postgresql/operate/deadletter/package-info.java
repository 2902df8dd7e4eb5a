/** Dead letters: finding, grouping by cause, requeueing and discarding. */
@NullMarked
package io.posthorn.postgresql.operate.deadletter;

import org.jspecify.annotations.NullMarked;

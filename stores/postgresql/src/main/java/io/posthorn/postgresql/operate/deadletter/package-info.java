/** Dead letters: found, grouped by their causes, requeued or discarded. */
@NullMarked
package io.posthorn.postgresql.operate.deadletter;

import org.jspecify.annotations.NullMarked;

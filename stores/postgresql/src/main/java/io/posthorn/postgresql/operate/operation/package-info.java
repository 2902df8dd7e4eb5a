/** Operations: starting bulk actions, running them step by step, stopping and resuming them. */
@NullMarked
package io.posthorn.postgresql.operate.operation;

import org.jspecify.annotations.NullMarked;

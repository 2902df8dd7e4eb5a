/** Bulk actions that survive a crash: previewed, paced, watched, stopped and resumed. */
@NullMarked
package io.posthorn.core.operate.operation;

import org.jspecify.annotations.NullMarked;

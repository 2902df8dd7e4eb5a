/** Bulk actions that survive a crash: previewed, paced, watched, stopped and resumed. */
@NullMarked
package io.posthorn.core.operation;

import org.jspecify.annotations.NullMarked;

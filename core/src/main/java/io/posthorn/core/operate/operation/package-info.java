/** Bulk actions that survive a crash: preview, rate, canary, progress, stop and resume. */
@NullMarked
package io.posthorn.core.operate.operation;

import org.jspecify.annotations.NullMarked;

/** Follows messages through programs, by traces and by the fields of log lines. */
@NullMarked
package io.posthorn.core.trace;

import org.jspecify.annotations.NullMarked;

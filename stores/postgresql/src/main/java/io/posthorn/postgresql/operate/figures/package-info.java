/** The status for people, and figures for metrics. */
@NullMarked
package io.posthorn.postgresql.operate.figures;

import org.jspecify.annotations.NullMarked;

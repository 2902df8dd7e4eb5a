/**
 * The {@code bench} commands: what Posthorn measures, and how.
 *
 * <p>Each benchmark starts its own PostgreSQL, whose commits wait for the disk. Each ratio comes
 * from one run in which both sides take turns, because machines are noisy and ratios are less so
 * than figures. No benchmark fails because something was slow.
 */
@NullMarked
package io.posthorn.benchmarks;

import org.jspecify.annotations.NullMarked;

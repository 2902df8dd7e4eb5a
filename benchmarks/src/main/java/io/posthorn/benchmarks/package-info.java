/**
 * What 'posthorn bench' measures, and how.
 *
 * <p>Every figure comes from a PostgreSQL of its own whose commits wait for the disk, and every
 * ratio from one run in which both sides take turns: machines are noisy, and ratios are less so
 * than figures. Nothing here fails because something was slow.
 */
@NullMarked
package io.posthorn.benchmarks;

import org.jspecify.annotations.NullMarked;

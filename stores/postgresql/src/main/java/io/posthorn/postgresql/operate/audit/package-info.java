/**
 * The audit: who did what, when and why. Its entries form a hash chain that reveals every later
 * change.
 */
@NullMarked
package io.posthorn.postgresql.operate.audit;

import org.jspecify.annotations.NullMarked;

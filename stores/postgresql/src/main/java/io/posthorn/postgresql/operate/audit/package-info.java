/** Who did what, when and why, in a chain that shows every change of it. */
@NullMarked
package io.posthorn.postgresql.operate.audit;

import org.jspecify.annotations.NullMarked;

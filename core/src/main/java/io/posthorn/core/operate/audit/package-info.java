/** Who did what, when and why: kept for good, and every change of the record shows. */
@NullMarked
package io.posthorn.core.operate.audit;

import org.jspecify.annotations.NullMarked;

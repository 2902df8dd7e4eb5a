/** The audit: who did what, when and why. It is kept for good, and tampering is detected. */
@NullMarked
package io.posthorn.core.operate.audit;

import org.jspecify.annotations.NullMarked;

/** The audit: who did what, when and why. */
@NullMarked
package io.posthorn.console.audit;

import org.jspecify.annotations.NullMarked;

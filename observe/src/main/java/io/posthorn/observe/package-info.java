/** Metrics of the outbox, for any Micrometer registry. */
@NullMarked
package io.posthorn.observe;

import org.jspecify.annotations.NullMarked;

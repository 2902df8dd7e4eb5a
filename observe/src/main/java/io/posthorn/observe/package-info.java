/** Metrics of the outbox, for any registry of Micrometer. */
@NullMarked
package io.posthorn.observe;

import org.jspecify.annotations.NullMarked;

/** The inbox: one receipt per received message and consumer, so that each takes effect once. */
@NullMarked
package io.posthorn.core.inbox;

import org.jspecify.annotations.NullMarked;

/** What was received: a receipt for each message and consumer, so that it takes effect once. */
@NullMarked
package io.posthorn.core.inbox;

import org.jspecify.annotations.NullMarked;

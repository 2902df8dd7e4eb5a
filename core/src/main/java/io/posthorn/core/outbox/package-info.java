/** The outbox: stores messages in the caller's own transaction. */
@NullMarked
package io.posthorn.core.outbox;

import org.jspecify.annotations.NullMarked;

/** The seam to brokers for receiving: where subscriptions get their messages from. */
@NullMarked
package io.posthorn.core.source;

import org.jspecify.annotations.NullMarked;

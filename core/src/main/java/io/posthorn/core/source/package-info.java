/** Where subscriptions get their messages from: the receiving side of connectors. */
@NullMarked
package io.posthorn.core.source;

import org.jspecify.annotations.NullMarked;

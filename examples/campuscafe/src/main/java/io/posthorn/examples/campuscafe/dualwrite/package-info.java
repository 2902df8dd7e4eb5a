/**
 * The same shop without an outbox: it writes to its database, and then to the broker. Do not copy
 * it.
 */
@NullMarked
package io.posthorn.examples.campuscafe.dualwrite;

import org.jspecify.annotations.NullMarked;

/**
 * The bus: publishes events in a transaction, and calls handlers for them. Most programs need only
 * this package.
 *
 * <p>A consumer is a destination with direction IN whose connector is the handler. A failed handler
 * is therefore treated like a failed send: the message is parked, retried, and finally a dead
 * letter.
 */
@NullMarked
package io.posthorn.core.bus;

import org.jspecify.annotations.NullMarked;

/**
 * The front door for programs: publish events in a transaction, subscribe handlers to them.
 *
 * <p>A consumer is a destination whose direction is IN and whose connector is the handler, so what
 * a handler could not do is parked, retried, and dead at last, like a send.
 */
@NullMarked
package io.posthorn.core.bus;

import org.jspecify.annotations.NullMarked;

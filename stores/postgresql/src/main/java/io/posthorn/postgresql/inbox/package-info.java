/**
 * Messages that an application receives: their receipts, and those that are parked or buried
 * instead of handled.
 */
@NullMarked
package io.posthorn.postgresql.inbox;

import org.jspecify.annotations.NullMarked;

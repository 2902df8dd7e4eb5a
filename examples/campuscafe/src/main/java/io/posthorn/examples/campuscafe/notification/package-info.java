/** Tells customers what became of their orders. */
@NullMarked
package io.posthorn.examples.campuscafe.notification;

import org.jspecify.annotations.NullMarked;

/** Relays, and what the log still keeps. */
@NullMarked
package io.posthorn.console.relay;

import org.jspecify.annotations.NullMarked;

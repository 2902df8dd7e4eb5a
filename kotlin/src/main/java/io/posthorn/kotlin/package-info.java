/** Extensions for Kotlin: handlers by their event's class, and transactions as blocks. */
@NullMarked
package io.posthorn.kotlin;

import org.jspecify.annotations.NullMarked;

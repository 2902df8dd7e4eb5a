/** The destinations, and one destination with all that a person can do about it. */
@NullMarked
package io.posthorn.console.destination;

import org.jspecify.annotations.NullMarked;

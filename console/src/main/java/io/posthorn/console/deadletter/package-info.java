/** Dead letters: by cause, and each with all that is known. */
@NullMarked
package io.posthorn.console.deadletter;

import org.jspecify.annotations.NullMarked;

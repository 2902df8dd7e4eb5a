/** Dead letters: finding them, understanding them, and the three rescues. */
@NullMarked
package io.posthorn.core.operate.deadletter;

import org.jspecify.annotations.NullMarked;

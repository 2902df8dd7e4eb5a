/** Dead letters: find them, understand their causes, and requeue, send once or discard them. */
@NullMarked
package io.posthorn.core.operate.deadletter;

import org.jspecify.annotations.NullMarked;

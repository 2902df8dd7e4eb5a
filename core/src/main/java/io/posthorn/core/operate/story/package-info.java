/** Finds messages by id, key, correlation, type or time, and shows their states and histories. */
@NullMarked
package io.posthorn.core.operate.story;

import org.jspecify.annotations.NullMarked;

/** What became of a message, and finding it by its id, key, correlation, type or time. */
@NullMarked
package io.posthorn.core.operate.story;

import org.jspecify.annotations.NullMarked;

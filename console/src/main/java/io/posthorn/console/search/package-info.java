/** Jumping to a thing by its id, key or name. */
@NullMarked
package io.posthorn.console.search;

import org.jspecify.annotations.NullMarked;

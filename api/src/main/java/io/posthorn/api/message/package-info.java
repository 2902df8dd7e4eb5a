/** Messages: finding them, and adding them. */
@NullMarked
package io.posthorn.api.message;

import org.jspecify.annotations.NullMarked;

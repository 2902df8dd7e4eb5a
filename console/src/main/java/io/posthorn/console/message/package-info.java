/** Messages: finding them, and the whole story of one. */
@NullMarked
package io.posthorn.console.message;

import org.jspecify.annotations.NullMarked;

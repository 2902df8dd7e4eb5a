/** The first page: is all well, and if not, what to do. */
@NullMarked
package io.posthorn.console.overview;

import org.jspecify.annotations.NullMarked;

/** Writes events as JSON and reads them again. */
@NullMarked
package io.posthorn.json;

import org.jspecify.annotations.NullMarked;

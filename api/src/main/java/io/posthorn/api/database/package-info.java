/** The databases that a caller sees. */
@NullMarked
package io.posthorn.api.database;

import org.jspecify.annotations.NullMarked;

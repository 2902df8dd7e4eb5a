/** Lanes: their owners, their locks, and how far each has come: cursor, window, progress. */
@NullMarked
package io.posthorn.postgresql.lane;

import org.jspecify.annotations.NullMarked;

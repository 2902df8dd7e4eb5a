/** The story of a message: where it is and what happened to it, found by id, key, type or time. */
@NullMarked
package io.posthorn.postgresql.operate.story;

import org.jspecify.annotations.NullMarked;

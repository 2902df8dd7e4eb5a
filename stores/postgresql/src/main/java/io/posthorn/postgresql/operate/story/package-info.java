/** Where a message is, and what became of it: found by id, listed by key, type or time. */
@NullMarked
package io.posthorn.postgresql.operate.story;

import org.jspecify.annotations.NullMarked;

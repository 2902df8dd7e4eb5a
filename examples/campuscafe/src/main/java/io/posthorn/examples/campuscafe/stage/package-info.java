/** Runs the shops, breaks them, and counts what came of it: {@code ./posthorn demo}. */
@NullMarked
package io.posthorn.examples.campuscafe.stage;

import org.jspecify.annotations.NullMarked;

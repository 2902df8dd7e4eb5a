/** The {@code posthorn} command: its root and its error output. */
@NullMarked
package io.posthorn.cli;

import org.jspecify.annotations.NullMarked;

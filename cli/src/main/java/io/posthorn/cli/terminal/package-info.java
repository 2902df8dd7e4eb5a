/** The user's terminal: drawing the whole screen, and reading keys. */
@NullMarked
package io.posthorn.cli.terminal;

import org.jspecify.annotations.NullMarked;

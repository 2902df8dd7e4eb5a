/** The {@code adopt} and {@code fence} commands, for a restored or copied database. */
@NullMarked
package io.posthorn.cli.restore;

import org.jspecify.annotations.NullMarked;

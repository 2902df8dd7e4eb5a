/** The {@code retention} commands: what is kept and why, purging and archives. */
@NullMarked
package io.posthorn.cli.retention;

import org.jspecify.annotations.NullMarked;

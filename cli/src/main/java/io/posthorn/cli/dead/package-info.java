/** The {@code dead} commands: dead letters and their rescue. */
@NullMarked
package io.posthorn.cli.dead;

import org.jspecify.annotations.NullMarked;

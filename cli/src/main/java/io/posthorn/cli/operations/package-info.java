/** The {@code operations} commands: bulk actions and their progress. */
@NullMarked
package io.posthorn.cli.operations;

import org.jspecify.annotations.NullMarked;

/** The {@code completion} command. */
@NullMarked
package io.posthorn.cli.completion;

import org.jspecify.annotations.NullMarked;

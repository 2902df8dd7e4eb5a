/** The {@code status} command. */
@NullMarked
package io.posthorn.cli.status;

import org.jspecify.annotations.NullMarked;

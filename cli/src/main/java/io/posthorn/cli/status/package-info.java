/** The command that tells how everything stands. */
@NullMarked
package io.posthorn.cli.status;

import org.jspecify.annotations.NullMarked;

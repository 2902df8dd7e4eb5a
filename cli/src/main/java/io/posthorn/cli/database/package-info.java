/** Options that commands share, and the output of their answers. */
@NullMarked
package io.posthorn.cli.database;

import org.jspecify.annotations.NullMarked;

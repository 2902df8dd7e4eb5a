/** Which database a command works on, and how its answers are printed. */
@NullMarked
package io.posthorn.cli.database;

import org.jspecify.annotations.NullMarked;

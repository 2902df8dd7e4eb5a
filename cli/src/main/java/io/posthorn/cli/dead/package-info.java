/** Commands for dead letters. */
@NullMarked
package io.posthorn.cli.dead;

import org.jspecify.annotations.NullMarked;

/** The {@code destinations} and {@code parked} commands. */
@NullMarked
package io.posthorn.cli.steering;

import org.jspecify.annotations.NullMarked;

/** Commands for destinations, and for what is parked for them. */
@NullMarked
package io.posthorn.cli.steering;

import org.jspecify.annotations.NullMarked;

/** Destinations as people steer them: pauses, limits, checks, routes taken away. */
@NullMarked
package io.posthorn.postgresql.operate.steering;

import org.jspecify.annotations.NullMarked;

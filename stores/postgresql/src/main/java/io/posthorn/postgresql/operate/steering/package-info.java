/**
 * How people steer destinations: pauses, limits, checks, and removal of routes and destinations.
 */
@NullMarked
package io.posthorn.postgresql.operate.steering;

import org.jspecify.annotations.NullMarked;

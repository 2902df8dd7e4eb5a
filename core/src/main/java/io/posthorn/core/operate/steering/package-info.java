/**
 * Steering of deliveries by people: pause, limit, retry now, skip, reschedule, release, and the
 * removal of routes and destinations.
 */
@NullMarked
package io.posthorn.core.operate.steering;

import org.jspecify.annotations.NullMarked;

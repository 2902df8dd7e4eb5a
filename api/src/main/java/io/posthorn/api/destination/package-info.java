/** Destinations: their state, routes, pauses and limits, and what is parked for them. */
@NullMarked
package io.posthorn.api.destination;

import org.jspecify.annotations.NullMarked;

package io.posthorn.core.operate.steering;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A route: messages of this type go to this destination.
 *
 * @param application the application that registered the route
 * @param type the type; {@code *} means every type
 * @param since when the route was registered
 * @param relay a live relay of the application that is configured for the route; null if there is
 *     none, so the route may be obsolete
 */
public record Route(
    String application, String destination, String type, Instant since, @Nullable String relay) {}

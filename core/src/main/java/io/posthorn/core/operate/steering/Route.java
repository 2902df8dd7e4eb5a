package io.posthorn.core.operate.steering;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A type that goes to a destination, because an application registered it.
 *
 * @param type {@code *} = every one
 * @param since when it was registered
 * @param relay a live relay of that application that is configured for it; none = perhaps nobody
 *     wants it any more
 */
public record Route(
    String application, String destination, String type, Instant since, @Nullable String relay) {}

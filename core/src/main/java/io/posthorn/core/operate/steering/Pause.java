package io.posthorn.core.operate.steering;

import java.time.Instant;

/**
 * One pause.
 *
 * @param scope what is paused
 * @param who the person who paused it
 * @param why the reason
 */
public record Pause(Scope scope, Instant at, String who, String why) {}

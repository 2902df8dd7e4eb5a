package io.posthorn.core.operate.steering;

import java.time.Instant;

/** What somebody paused, and why. */
public record Pause(Scope scope, Instant at, String who, String why) {}

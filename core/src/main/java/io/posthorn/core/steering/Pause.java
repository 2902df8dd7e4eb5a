package io.posthorn.core.steering;

import java.time.Instant;

/** What somebody paused, and why. */
public record Pause(Scope scope, Instant at, String who, String why) {}

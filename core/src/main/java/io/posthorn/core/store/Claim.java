package io.posthorn.core.store;

import org.jspecify.annotations.Nullable;

/** A claim's result: the state of the lane and, if there is something to send, a batch. */
public record Claim(LaneState state, @Nullable Batch batch) {}

package io.posthorn.core.store;

import org.jspecify.annotations.Nullable;

/** The result of a claim: the state of the lane, and a batch if there is something to send. */
public record Claim(LaneState state, @Nullable Batch batch) {}

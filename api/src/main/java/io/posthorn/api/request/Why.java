package io.posthorn.api.request;

import org.jspecify.annotations.Nullable;

/**
 * The reason of a change, for the audit.
 *
 * @param why in at most 2,000 characters; required
 */
public record Why(@Nullable String why) {}

package io.posthorn.api.request;

/**
 * What came of a change.
 *
 * @param changed false if everything was as asked for already
 */
public record Changed(boolean changed) {}

package io.posthorn.api.request;

/** How many things a change touched, or a question found. */
public record Counted(long count) {}

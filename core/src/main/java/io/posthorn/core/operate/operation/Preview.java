package io.posthorn.core.operate.operation;

/**
 * What an operation would do.
 *
 * @param count to how many things
 * @param looked of how many of them it was looked up whether they are overtaken: of the first ones
 * @param overtaken how many of those have younger messages of their key that are already out, so
 *     that the receiver would see them after those
 */
public record Preview(long count, int looked, int overtaken) {}

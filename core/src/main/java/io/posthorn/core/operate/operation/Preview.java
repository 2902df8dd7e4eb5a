package io.posthorn.core.operate.operation;

/**
 * What an operation would do.
 *
 * @param count the number of messages or letters it selects
 * @param looked how many of the first ones were checked for being overtaken
 * @param overtaken how many of the checked ones are overtaken: newer messages of their key are
 *     already sent, so the receiver would get them out of order
 */
public record Preview(long count, int looked, int overtaken) {}

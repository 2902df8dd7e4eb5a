package io.posthorn.core.store;

/**
 * How much one claim may return. At least one message is returned, however large it is.
 *
 * @param messages at most so many
 * @param bytes of payloads and headers, at most
 */
public record ClaimLimits(int messages, long bytes) {
  /** Of so many together. */
  public ClaimLimits times(int count) {
    return new ClaimLimits(messages * count, bytes * count);
  }
}

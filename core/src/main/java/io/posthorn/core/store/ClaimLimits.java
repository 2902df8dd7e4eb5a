package io.posthorn.core.store;

/**
 * The most that one claim may return. A claim always returns at least one message, however large.
 *
 * @param messages the most messages
 * @param bytes the most bytes of payloads and headers
 */
public record ClaimLimits(int messages, long bytes) {
  /** The limits of this number of claims together. */
  public ClaimLimits times(int count) {
    return new ClaimLimits(messages * count, bytes * count);
  }
}

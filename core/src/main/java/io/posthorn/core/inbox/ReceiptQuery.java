package io.posthorn.core.inbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects receipts of a consumer. A component that is null matches every receipt.
 *
 * @param consumer the consumer's name, or {@link Inbox#ALL_CONSUMERS}
 * @param from only messages received at this time or later
 * @param until only messages received before this time
 */
public record ReceiptQuery(
    String consumer,
    @Nullable String sender,
    @Nullable Instant from,
    @Nullable Instant until,
    @Nullable ReceiptState state) {

  /** All receipts of this consumer. */
  public static ReceiptQuery of(String consumer) {
    return new ReceiptQuery(consumer, null, null, null, null);
  }

  /** Only messages of this sender; null for any. */
  public ReceiptQuery sender(@Nullable String name) {
    return new ReceiptQuery(consumer, name, from, until, state);
  }

  /** Only messages received from the first time on and before the second; null for no limit. */
  public ReceiptQuery received(@Nullable Instant first, @Nullable Instant before) {
    return new ReceiptQuery(consumer, sender, first, before, state);
  }

  /** Only receipts in this state; null for any. */
  public ReceiptQuery state(@Nullable ReceiptState one) {
    return new ReceiptQuery(consumer, sender, from, until, one);
  }

  @Override
  public String toString() {
    return "consumer "
        + consumer
        + (sender == null ? "" : ", sender " + sender)
        + (from == null ? "" : ", received from " + from)
        + (until == null ? "" : ", received until " + until)
        + (state == null ? "" : ", " + state);
  }
}

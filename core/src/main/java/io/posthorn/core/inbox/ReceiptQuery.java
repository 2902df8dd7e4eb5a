package io.posthorn.core.inbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which receipts of a consumer; what is null does not matter.
 *
 * @param from received at this time or later
 * @param until received before this time
 */
public record ReceiptQuery(
    String consumer,
    @Nullable String sender,
    @Nullable Instant from,
    @Nullable Instant until,
    @Nullable ReceiptState state) {

  public static ReceiptQuery of(String consumer) {
    return new ReceiptQuery(consumer, null, null, null, null);
  }

  public ReceiptQuery sender(@Nullable String name) {
    return new ReceiptQuery(consumer, name, from, until, state);
  }

  public ReceiptQuery received(@Nullable Instant first, @Nullable Instant before) {
    return new ReceiptQuery(consumer, sender, first, before, state);
  }

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

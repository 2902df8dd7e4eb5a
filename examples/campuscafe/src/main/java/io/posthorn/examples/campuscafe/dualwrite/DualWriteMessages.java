package io.posthorn.examples.campuscafe.dualwrite;

import java.util.UUID;

/** The same messages as in the other shop. */
interface DualWriteMessages {
  record ReserveStockRequested(UUID orderId, String drink, int cups) {}

  record StockReserved(UUID orderId) {}

  record StockRejected(UUID orderId, String why) {}

  record PaymentRequested(UUID orderId, int cents) {}

  record PaymentSucceeded(UUID orderId) {}

  record PaymentFailed(UUID orderId, String why) {}

  record NotifyUserRequested(UUID orderId, String email, String text) {}
}

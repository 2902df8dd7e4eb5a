package io.posthorn.examples.campuscafe.stock;

import io.posthorn.core.message.MessageKey;
import java.util.UUID;

/** What this service hears from the others, and what it tells them. */
interface StockMessages {
  // ---- hears

  record ReserveStockRequested(UUID orderId, String drink, int cups) {}

  record PaymentFailed(UUID orderId) {}

  // ---- tells

  record StockReserved(@MessageKey("order") UUID orderId) {}

  record StockRejected(@MessageKey("order") UUID orderId, String why) {}
}

package io.posthorn.examples.campuscafe.order;

import io.posthorn.core.message.MessageKey;
import java.util.UUID;

/** What this service tells the others, and what it hears from them. */
interface OrderMessages {
  // ---- tells

  record OrderPlaced(@MessageKey("order") UUID orderId, String drink, int cups) {}

  record ReserveStockRequested(@MessageKey("order") UUID orderId, String drink, int cups) {}

  record PaymentRequested(@MessageKey("order") UUID orderId, int cents) {}

  record NotifyUserRequested(@MessageKey("order") UUID orderId, String email, String text) {}

  // ---- hears

  record StockReserved(UUID orderId) {}

  record StockRejected(UUID orderId, String why) {}

  record PaymentSucceeded(UUID orderId) {}

  record PaymentFailed(UUID orderId, String why) {}
}

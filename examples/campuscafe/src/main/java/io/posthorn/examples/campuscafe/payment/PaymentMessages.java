package io.posthorn.examples.campuscafe.payment;

import io.posthorn.core.message.MessageKey;
import java.util.UUID;

/** What this service hears from the others, and what it tells them. */
interface PaymentMessages {
  // ---- hears, as a webhook

  record PaymentRequested(UUID orderId, int cents) {}

  // ---- tells

  record PaymentSucceeded(@MessageKey("order") UUID orderId) {}

  record PaymentFailed(@MessageKey("order") UUID orderId, String why) {}
}

package io.posthorn.examples.campuscafe.notification;

import io.posthorn.core.message.MessageKey;
import java.util.UUID;

/** What this service hears from the others, and what it tells itself. */
interface NotificationMessages {
  // ---- hears

  record NotifyUserRequested(UUID orderId, String email, String text) {}

  // ---- tells itself

  record MailDue(@MessageKey("order") UUID orderId, String email, String text) {}
}

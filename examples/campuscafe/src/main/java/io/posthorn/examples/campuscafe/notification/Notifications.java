package io.posthorn.examples.campuscafe.notification;

import io.posthorn.examples.campuscafe.notification.NotificationMessages.MailDue;
import io.posthorn.examples.campuscafe.notification.NotificationMessages.NotifyUserRequested;
import io.posthorn.spring.MessageHandler;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** Notes that the customer has to be told. The mail itself is sent outside of any transaction. */
@Service
class Notifications {
  private final JdbcClient jdbc;
  private final TransactionalOutbox outbox;

  Notifications(JdbcClient jdbc, TransactionalOutbox outbox) {
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  @MessageHandler(consumer = "notifications", source = "orders")
  void on(NotifyUserRequested request) {
    jdbc.sql("INSERT INTO notification (order_id, text) VALUES (:order, :text)")
        .param("order", request.orderId())
        .param("text", request.text())
        .update();
    outbox.add(new MailDue(request.orderId(), request.email(), request.text()));
  }
}

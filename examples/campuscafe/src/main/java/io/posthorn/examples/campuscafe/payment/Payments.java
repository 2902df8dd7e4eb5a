package io.posthorn.examples.campuscafe.payment;

import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.Message;
import io.posthorn.examples.campuscafe.payment.PaymentMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.payment.PaymentMessages.PaymentRequested;
import io.posthorn.examples.campuscafe.payment.PaymentMessages.PaymentSucceeded;
import io.posthorn.spring.TransactionalOutbox;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

@Service
class Payments {
  /** Cards are good for this much. */
  private static final int LIMIT_CENTS = 3_000;

  private final JdbcClient jdbc;
  private final TransactionalOutbox outbox;
  private final Inbox inbox;
  private final DataSource database;
  private final JsonMapper json;

  Payments(
      JdbcClient jdbc,
      TransactionalOutbox outbox,
      Inbox inbox,
      DataSource database,
      JsonMapper json) {
    this.jdbc = jdbc;
    this.outbox = outbox;
    this.inbox = inbox;
    this.database = database;
    this.json = json;
  }

  /** A webhook is repeated when its answer was late or lost. The receipt makes it charge once. */
  @Transactional
  public void charge(Message webhook) {
    if (!inbox.once(DataSourceUtils.getConnection(database), "payments", webhook.id().toString())) {
      return;
    }
    PaymentRequested request = json.readValue(webhook.payload(), PaymentRequested.class);
    if (request.cents() > LIMIT_CENTS) {
      outbox.add(new PaymentFailed(request.orderId(), "the card was declined"));
      return;
    }
    jdbc.sql("INSERT INTO charge (order_id, cents) VALUES (:order, :cents)")
        .param("order", request.orderId())
        .param("cents", request.cents())
        .update();
    outbox.add(new PaymentSucceeded(request.orderId()));
  }
}

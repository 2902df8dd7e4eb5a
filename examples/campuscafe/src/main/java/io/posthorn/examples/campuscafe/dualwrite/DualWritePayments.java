package io.posthorn.examples.campuscafe.dualwrite;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentRequested;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentSucceeded;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The payment service. Whoever asks twice is charged twice. */
@RestController
class DualWritePayments {
  private static final int LIMIT_CENTS = 3_000;

  private final JdbcClient jdbc;
  private final Broker broker;

  DualWritePayments(JdbcClient jdbc, Broker broker) {
    this.jdbc = jdbc;
    this.broker = broker;
  }

  @PostMapping("/payments")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Transactional
  public void charge(@RequestBody PaymentRequested request) {
    if (request.cents() > LIMIT_CENTS) {
      broker.send(request.orderId(), new PaymentFailed(request.orderId(), "the card was declined"));
      return;
    }
    jdbc.sql("INSERT INTO charge (order_id, cents) VALUES (:order, :cents)")
        .param("order", request.orderId())
        .param("cents", request.cents())
        .update();
    broker.send(request.orderId(), new PaymentSucceeded(request.orderId()));
  }
}

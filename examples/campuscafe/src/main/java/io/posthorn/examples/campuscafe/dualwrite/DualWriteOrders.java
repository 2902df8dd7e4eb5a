package io.posthorn.examples.campuscafe.dualwrite;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.NotifyUserRequested;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentRequested;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentSucceeded;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.ReserveStockRequested;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.StockRejected;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.StockReserved;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The order service. Its events are sent whether the transaction commits or not, or never. */
@RestController
class DualWriteOrders {
  private static final int CENTS_PER_CUP = 320;

  private final JdbcClient jdbc;
  private final Broker broker;
  private final PaymentClient payment;

  DualWriteOrders(JdbcClient jdbc, Broker broker, PaymentClient payment) {
    this.jdbc = jdbc;
    this.broker = broker;
    this.payment = payment;
  }

  record NewOrder(String drink, int cups, String email) {}

  record Order(UUID id, String drink, String email, int cents) {}

  @PostMapping("/orders")
  @ResponseStatus(HttpStatus.CREATED)
  @Transactional
  public UUID place(@RequestHeader("Idempotency-Key") UUID request, @RequestBody NewOrder order) {
    UUID id = UUID.randomUUID(); // nobody looks whether this request was here before
    jdbc.sql(
            """
            INSERT INTO cafe_order (id, request, drink, cups, email, cents, status)
            VALUES (:id, :request, :drink, :cups, :email, :cents, 'PLACED')
            """)
        .param("id", id)
        .param("request", request)
        .param("drink", order.drink())
        .param("cups", order.cups())
        .param("email", order.email())
        .param("cents", order.cups() * CENTS_PER_CUP)
        .update();
    broker.send(id, new ReserveStockRequested(id, order.drink(), order.cups()));
    return id;
  }

  @KafkaListener(id = "orders-reserved", topics = "dual.StockReserved")
  @Transactional
  public void reserved(String text) {
    Order order = change(broker.read(text, StockReserved.class).orderId(), "RESERVED");
    payment.request(new PaymentRequested(order.id(), order.cents()));
  }

  @KafkaListener(id = "orders-rejected", topics = "dual.StockRejected")
  @Transactional
  public void rejected(String text) {
    StockRejected rejected = broker.read(text, StockRejected.class);
    cancel(rejected.orderId(), rejected.why());
  }

  @KafkaListener(id = "orders-paid", topics = "dual.PaymentSucceeded")
  @Transactional
  public void paid(String text) {
    Order order = change(broker.read(text, PaymentSucceeded.class).orderId(), "PAID");
    tell(order, "Your %s is on its way.".formatted(order.drink()));
  }

  @KafkaListener(id = "orders-unpaid", topics = "dual.PaymentFailed")
  @Transactional
  public void unpaid(String text) {
    PaymentFailed failed = broker.read(text, PaymentFailed.class);
    cancel(failed.orderId(), failed.why());
  }

  private void cancel(UUID id, String why) {
    Order order = change(id, "CANCELLED");
    tell(order, "We are sorry, your order was cancelled: %s.".formatted(why));
  }

  private void tell(Order order, String text) {
    broker.send(order.id(), new NotifyUserRequested(order.id(), order.email(), text));
  }

  private Order change(UUID id, String status) {
    return jdbc.sql(
            """
            UPDATE cafe_order
               SET status = :status, changed_at = clock_timestamp()
             WHERE id = :id
            RETURNING id, drink, email, cents
            """)
        .param("id", id)
        .param("status", status)
        .query(Order.class)
        .single();
  }
}

package io.posthorn.examples.campuscafe.order;

import io.posthorn.core.inbox.Inbox;
import io.posthorn.examples.campuscafe.order.Order.Status;
import io.posthorn.examples.campuscafe.order.OrderMessages.NotifyUserRequested;
import io.posthorn.examples.campuscafe.order.OrderMessages.OrderPlaced;
import io.posthorn.examples.campuscafe.order.OrderMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.order.OrderMessages.PaymentRequested;
import io.posthorn.examples.campuscafe.order.OrderMessages.PaymentSucceeded;
import io.posthorn.examples.campuscafe.order.OrderMessages.ReserveStockRequested;
import io.posthorn.examples.campuscafe.order.OrderMessages.StockRejected;
import io.posthorn.examples.campuscafe.order.OrderMessages.StockReserved;
import io.posthorn.spring.MessageHandler;
import io.posthorn.spring.TransactionalOutbox;
import java.sql.Connection;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * An order's way. Each step changes the order and tells the next service in one transaction: both
 * happen, or neither.
 */
@Service
class Orders {
  private static final int CENTS_PER_CUP = 320;

  private final OrderTable table;
  private final TransactionalOutbox outbox;
  private final Inbox inbox;
  private final DataSource database;

  Orders(OrderTable table, TransactionalOutbox outbox, Inbox inbox, DataSource database) {
    this.table = table;
    this.outbox = outbox;
    this.inbox = inbox;
    this.database = database;
  }

  /**
   * A customer who got no answer repeats the request, with the same id. The receipt makes sure that
   * it takes effect once.
   */
  @Transactional
  public UUID place(UUID request, String drink, int cups, String email) {
    Connection tx = DataSourceUtils.getConnection(database);
    if (inbox.once(tx, "place-order", request.toString())) {
      table.insert(new Order(request, drink, cups, email, cups * CENTS_PER_CUP, Status.PLACED));
      outbox.add(new OrderPlaced(request, drink, cups));
      outbox.add(new ReserveStockRequested(request, drink, cups));
    }
    return request;
  }

  @MessageHandler(consumer = "orders-stock", source = "stock")
  void on(StockReserved reserved) {
    Order order = table.change(reserved.orderId(), Status.RESERVED);
    outbox.add(new PaymentRequested(order.id(), order.cents()));
  }

  @MessageHandler(consumer = "orders-stock", source = "stock")
  void on(StockRejected rejected) {
    cancel(rejected.orderId(), rejected.why());
  }

  @MessageHandler(consumer = "orders-payment", source = "payments")
  void on(PaymentSucceeded paid) {
    Order order = table.change(paid.orderId(), Status.PAID);
    tell(order, "Your %s is on its way.".formatted(order.drink()));
  }

  /** The stock service hears of the failed payment too, and puts the cups back. */
  @MessageHandler(consumer = "orders-payment", source = "payments")
  void on(PaymentFailed failed) {
    cancel(failed.orderId(), failed.why());
  }

  private void cancel(UUID id, String why) {
    Order order = table.change(id, Status.CANCELLED);
    tell(order, "We are sorry, your order was cancelled: %s.".formatted(why));
  }

  private void tell(Order order, String text) {
    outbox.add(new NotifyUserRequested(order.id(), order.email(), text));
  }
}

package io.posthorn.examples.campuscafe.stock;

import io.posthorn.core.connector.RejectedException;
import io.posthorn.examples.campuscafe.stock.StockMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.stock.StockMessages.ReserveStockRequested;
import io.posthorn.examples.campuscafe.stock.StockMessages.StockRejected;
import io.posthorn.examples.campuscafe.stock.StockMessages.StockReserved;
import io.posthorn.spring.MessageHandler;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.stereotype.Service;

/**
 * Each method runs in a transaction that also holds the message's receipt and its answer. A message
 * that arrives twice therefore takes its cups once.
 */
@Service
class Stock {
  private final StockTable table;
  private final TransactionalOutbox outbox;

  Stock(StockTable table, TransactionalOutbox outbox) {
    this.table = table;
    this.outbox = outbox;
  }

  @MessageHandler(consumer = "stock", source = "orders")
  void on(ReserveStockRequested request) {
    if (!table.knows(request.drink())) {
      // Another try would not help: a person has to correct the message, as a dead letter.
      throw new RejectedException(
          "UNKNOWN_DRINK", "the menu has no drink '%s'".formatted(request.drink()));
    }
    if (table.take(request.drink(), request.cups())) {
      table.reserve(request.orderId(), request.drink(), request.cups());
      outbox.add(new StockReserved(request.orderId()));
    } else {
      outbox.add(new StockRejected(request.orderId(), "%s is sold out".formatted(request.drink())));
    }
  }

  @MessageHandler(consumer = "stock-payments", source = "payments")
  void on(PaymentFailed failed) {
    table.putBack(failed.orderId());
  }
}

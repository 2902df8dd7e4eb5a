package io.posthorn.examples.campuscafe.dualwrite;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentFailed;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.ReserveStockRequested;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.StockRejected;
import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.StockReserved;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The stock service. */
@Service
class DualWriteStock {
  private final JdbcClient jdbc;
  private final Broker broker;

  DualWriteStock(JdbcClient jdbc, Broker broker) {
    this.jdbc = jdbc;
    this.broker = broker;
  }

  @KafkaListener(id = "stock", topics = "dual.ReserveStockRequested")
  @Transactional
  public void reserve(String text) {
    ReserveStockRequested request = broker.read(text, ReserveStockRequested.class);
    Optional<Integer> left =
        jdbc.sql("SELECT cups FROM drink WHERE name = :drink FOR UPDATE")
            .param("drink", request.drink())
            .query(Integer.class)
            .optional();
    if (left.isEmpty()) {
      // After ten tries the listener logs it, and goes on without it.
      throw new IllegalStateException("the menu has no drink '%s'".formatted(request.drink()));
    }
    if (left.get() < request.cups()) {
      broker.send(
          request.orderId(),
          new StockRejected(request.orderId(), "%s is sold out".formatted(request.drink())));
      return;
    }
    jdbc.sql("UPDATE drink SET cups = cups - :cups WHERE name = :drink")
        .param("cups", request.cups())
        .param("drink", request.drink())
        .update();
    jdbc.sql("INSERT INTO reservation (order_id, drink, cups) VALUES (:order, :drink, :cups)")
        .param("order", request.orderId())
        .param("drink", request.drink())
        .param("cups", request.cups())
        .update();
    broker.send(request.orderId(), new StockReserved(request.orderId()));
  }

  @KafkaListener(id = "stock-payments", topics = "dual.PaymentFailed")
  @Transactional
  public void putBack(String text) {
    jdbc.sql(
            """
            WITH released AS (
              UPDATE reservation
                 SET released = true
               WHERE order_id = :order
                 AND NOT released
              RETURNING drink, cups)
            UPDATE drink
               SET cups = drink.cups + released.cups
              FROM released
             WHERE drink.name = released.drink
            """)
        .param("order", broker.read(text, PaymentFailed.class).orderId())
        .update();
  }
}

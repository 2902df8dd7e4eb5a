package io.posthorn.examples.catalogue.baskets;

import io.posthorn.spring.MessageHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Handles messages from the catalogue and the orders. The methods can be as simple as this because
 * each message takes effect once, together with its receipt, and because an older price never comes
 * after a newer one. If a price took effect twice, the basket would forget the old price, and the
 * customer would not see that it changed. If an order took effect twice, it would empty a basket
 * that was filled again.
 */
@Component
class BasketNews {
  private final JdbcClient jdbc;

  BasketNews(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @MessageHandler(
      consumer = "basket-prices",
      type = "ProductPriceChanged",
      source = "prices",
      latestWins = true)
  void priceChanged(PriceChanged changed) {
    jdbc.sql(
            """
            INSERT INTO basket_price (product, name, price)
            VALUES (:product, :name, :price)
            ON CONFLICT (product) DO UPDATE SET name = excluded.name, price = excluded.price
            """)
        .paramSource(changed)
        .update();
    jdbc.sql(
            """
            UPDATE basket_line
               SET old_price = price, price = :price
             WHERE product = :product
            """)
        .paramSource(changed)
        .update();
  }

  @MessageHandler(consumer = "basket-orders", type = "OrderStarted", source = "orders")
  void orderStarted(OrderStarted started) {
    jdbc.sql("DELETE FROM basket_line WHERE basket = :basket AND product IN (:products)")
        .paramSource(started)
        .update();
  }
}

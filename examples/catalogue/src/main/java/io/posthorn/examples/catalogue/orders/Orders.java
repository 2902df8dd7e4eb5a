package io.posthorn.examples.catalogue.orders;

import io.posthorn.examples.catalogue.baskets.BasketLine;
import io.posthorn.examples.catalogue.baskets.Baskets;
import io.posthorn.spring.TransactionalOutbox;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {
  private final Baskets baskets;
  private final JdbcClient jdbc;
  private final TransactionalOutbox outbox;

  Orders(Baskets baskets, JdbcClient jdbc, TransactionalOutbox outbox) {
    this.baskets = baskets;
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  /** The basket empties itself when it hears of it. */
  @Transactional
  public UUID start(String basket) {
    List<BasketLine> lines = baskets.lines(basket);
    if (lines.isEmpty()) {
      throw new IllegalStateException("the basket is empty");
    }
    UUID order = UUID.randomUUID();
    jdbc.sql("INSERT INTO shop_order (id, basket, total) VALUES (:id, :basket, :total)")
        .param("id", order)
        .param("basket", basket)
        .param(
            "total", lines.stream().map(BasketLine::price).reduce(BigDecimal.ZERO, BigDecimal::add))
        .update();
    outbox.add(new OrderStarted(order, basket, lines.stream().map(BasketLine::product).toList()));
    return order;
  }
}

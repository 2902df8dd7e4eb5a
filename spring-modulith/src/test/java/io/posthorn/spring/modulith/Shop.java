package io.posthorn.spring.modulith;

import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.OutboxMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** An application with modules: orders publishes events to the others. */
@Configuration
@EnableAutoConfiguration
@EnableTransactionManagement
@Import({Shop.Orders.class, Shop.Stock.class})
class Shop {
  @Externalized("order-placed::#{#this.order()}")
  record OrderPlaced(String order, int total) {}

  /** Has the same target and key as the next event. */
  @Externalized("invoices::#{#this.order()}")
  record InvoiceSent(String order) {}

  @Externalized("invoices::#{#this.order()}")
  record InvoicePaid(String order) {}

  /** Has a registered type of its own; see the bean. */
  @Externalized("catalogue")
  record PriceChanged(String article, int price) {}

  /** Its name within the application is not a valid name of a type. */
  @Externalized
  record Nameless(String text) {}

  @Externalized("both")
  @OutboxMessage
  record Both(String text) {}

  record Internal(String text) {}

  @Bean
  MessageType priceChanged() {
    return MessageType.named("PriceChanged")
        .from(PriceChanged.class, "article", PriceChanged::article);
  }

  static class Orders {
    private final JdbcClient jdbc;
    private final ApplicationEventPublisher events;

    Orders(JdbcClient jdbc, ApplicationEventPublisher events) {
      this.jdbc = jdbc;
      this.events = events;
    }

    @Transactional
    public void place(String order, int total) {
      jdbc.sql("INSERT INTO orders (id, total) VALUES (?, ?)").param(order).param(total).update();
      events.publishEvent(new OrderPlaced(order, total));
      if (total < 0) {
        throw new IllegalArgumentException("a total of " + total);
      }
    }
  }

  /** Another module, which Spring Modulith notifies of orders after the commit. */
  static class Stock {
    private final List<OrderPlaced> heard = new CopyOnWriteArrayList<>();

    @ApplicationModuleListener
    public void on(OrderPlaced placed) {
      heard.add(placed);
    }

    public List<OrderPlaced> heard() {
      return heard;
    }
  }
}

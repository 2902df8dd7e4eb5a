package io.posthorn.examples.campuscafe.stock;

import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The service's own tables. */
@Repository
class StockTable {
  private final JdbcClient jdbc;

  StockTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  boolean knows(String drink) {
    return jdbc.sql("SELECT count(*) FROM drink WHERE name = :drink")
            .param("drink", drink)
            .query(Integer.class)
            .single()
        > 0;
  }

  boolean take(String drink, int cups) {
    return jdbc.sql(
                """
                UPDATE drink
                   SET cups = cups - :cups
                 WHERE name = :drink
                   AND cups >= :cups
                """)
            .param("drink", drink)
            .param("cups", cups)
            .update()
        > 0;
  }

  void reserve(UUID order, String drink, int cups) {
    jdbc.sql("INSERT INTO reservation (order_id, drink, cups) VALUES (:order, :drink, :cups)")
        .param("order", order)
        .param("drink", drink)
        .param("cups", cups)
        .update();
  }

  void putBack(UUID order) {
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
        .param("order", order)
        .update();
  }
}

package io.posthorn.examples.campuscafe.order;

import io.posthorn.examples.campuscafe.order.Order.Status;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The service's own table. */
@Repository
class OrderTable {
  private final JdbcClient jdbc;

  OrderTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void insert(Order order) {
    jdbc.sql(
            """
            INSERT INTO cafe_order (id, drink, cups, email, cents, status)
            VALUES (:id, :drink, :cups, :email, :cents, :status)
            """)
        .param("id", order.id())
        .param("drink", order.drink())
        .param("cups", order.cups())
        .param("email", order.email())
        .param("cents", order.cents())
        .param("status", order.status().name())
        .update();
  }

  /** Locks the order, so that its messages are added in the order of its changes. */
  Order change(UUID id, Status status) {
    return jdbc.sql(
            """
            UPDATE cafe_order
               SET status = :status, changed_at = clock_timestamp()
             WHERE id = :id
            RETURNING id, drink, cups, email, cents, status
            """)
        .param("id", id)
        .param("status", status.name())
        .query(Order.class)
        .single();
  }
}

package io.posthorn.examples.catalogue.baskets;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Baskets {
  private final JdbcClient jdbc;

  Baskets(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** With the price that the baskets know; false if they have not heard of the product. */
  @Transactional
  public boolean add(String basket, String product) {
    // FOR SHARE: a price that changes at this moment waits until the line is there, and changes it.
    return jdbc.sql(
                """
                INSERT INTO basket_line (basket, product, name, price)
                SELECT :basket, p.product, p.name, p.price
                  FROM basket_price p
                 WHERE p.product = :product
                   FOR SHARE
                ON CONFLICT (basket, product) DO UPDATE SET basket = excluded.basket
                """)
            .param("basket", basket)
            .param("product", product)
            .update()
        == 1;
  }

  public List<BasketLine> lines(String basket) {
    return jdbc.sql(
            """
            SELECT product, name, price, old_price
              FROM basket_line
             WHERE basket = :basket
             ORDER BY name
            """)
        .param("basket", basket)
        .query(BasketLine.class)
        .list();
  }
}

package io.posthorn.examples.catalogue.baskets;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * One product in a basket.
 *
 * @param oldPrice the price before the last change; none if it has not changed since it was added
 */
public record BasketLine(
    String product, String name, BigDecimal price, @Nullable BigDecimal oldPrice) {

  /** What the customer is told about this line; empty if there is nothing to tell. */
  public String getNotice() {
    return oldPrice == null ? "" : "The price was %s and is %s now.".formatted(oldPrice, price);
  }
}

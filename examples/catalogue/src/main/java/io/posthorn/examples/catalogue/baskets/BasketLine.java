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

  /** What this line shows the customer about a changed price; empty if nothing changed. */
  public String getNotice() {
    return oldPrice == null ? "" : "The price was %s and is %s now.".formatted(oldPrice, price);
  }
}

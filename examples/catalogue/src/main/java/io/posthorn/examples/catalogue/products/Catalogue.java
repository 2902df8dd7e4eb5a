package io.posthorn.examples.catalogue.products;

import io.posthorn.spring.TransactionalOutbox;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Catalogue {
  private final Products products;
  private final TransactionalOutbox outbox;

  Catalogue(Products products, TransactionalOutbox outbox) {
    this.products = products;
    this.outbox = outbox;
  }

  /** Saves the product, and publishes an event only if its price has changed. */
  @Transactional
  public void put(String id, String name, BigDecimal price) {
    Product product = products.findById(id).orElseGet(() -> products.save(new Product(id, name)));
    product.rename(name);
    BigDecimal inCents = price.setScale(2, RoundingMode.HALF_UP);
    if (product.changePrice(inCents)) {
      outbox.add(new ProductPriceChanged(id, name, inCents));
    }
  }
}

package io.posthorn.examples.catalogue.products;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

@Entity
class Product {
  @Id private String id;
  private String name;
  private @Nullable BigDecimal price;

  @Version
  private @Nullable Integer version; // two who change one product at once: one of them fails

  @SuppressWarnings("NullAway.Init") // for JPA
  protected Product() {}

  Product(String id, String name) {
    this.id = id;
    this.name = name;
  }

  String id() {
    return id;
  }

  String name() {
    return name;
  }

  @Nullable BigDecimal price() {
    return price;
  }

  void rename(String newName) {
    this.name = newName;
  }

  /** Whether it is another price. */
  boolean changePrice(BigDecimal newPrice) {
    if (price != null && price.compareTo(newPrice) == 0) {
      return false;
    }
    this.price = newPrice;
    return true;
  }
}

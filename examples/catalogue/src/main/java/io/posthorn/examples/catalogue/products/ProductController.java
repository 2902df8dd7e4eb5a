package io.posthorn.examples.catalogue.products;

import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ProductController {
  private final Catalogue catalogue;
  private final Products products;

  ProductController(Catalogue catalogue, Products products) {
    this.catalogue = catalogue;
    this.products = products;
  }

  record Offer(String name, BigDecimal price) {}

  record Shown(String id, String name, @Nullable BigDecimal price) {}

  @GetMapping("/products")
  List<Shown> all() {
    return products.findAll(Sort.by("name")).stream()
        .map(product -> new Shown(product.id(), product.name(), product.price()))
        .toList();
  }

  @PutMapping("/products/{id}")
  void put(@PathVariable String id, @RequestBody Offer offer) {
    catalogue.put(id, offer.name(), offer.price());
  }
}

package io.posthorn.examples.catalogue.baskets;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
class BasketController {
  private final Baskets baskets;

  BasketController(Baskets baskets) {
    this.baskets = baskets;
  }

  @GetMapping("/baskets/{basket}")
  List<BasketLine> show(@PathVariable String basket) {
    return baskets.lines(basket);
  }

  @PutMapping("/baskets/{basket}/{product}")
  void add(@PathVariable String basket, @PathVariable String product) {
    if (!baskets.add(basket, product)) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND);
    }
  }
}

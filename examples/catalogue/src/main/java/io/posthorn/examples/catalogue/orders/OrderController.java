package io.posthorn.examples.catalogue.orders;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
  private final Orders orders;

  OrderController(Orders orders) {
    this.orders = orders;
  }

  @PostMapping("/baskets/{basket}/order")
  @ResponseStatus(HttpStatus.CREATED)
  UUID start(@PathVariable String basket) {
    return orders.start(basket);
  }

  @ExceptionHandler(IllegalStateException.class)
  @ResponseStatus(HttpStatus.CONFLICT)
  String nothingToOrder(IllegalStateException e) {
    return String.valueOf(e.getMessage());
  }
}

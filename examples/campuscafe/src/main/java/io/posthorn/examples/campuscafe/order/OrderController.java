package io.posthorn.examples.campuscafe.order;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
  private final Orders orders;

  OrderController(Orders orders) {
    this.orders = orders;
  }

  record NewOrder(String drink, int cups, String email) {}

  @PostMapping("/orders")
  @ResponseStatus(HttpStatus.CREATED)
  UUID place(@RequestHeader("Idempotency-Key") UUID request, @RequestBody NewOrder order) {
    return orders.place(request, order.drink(), order.cups(), order.email());
  }
}

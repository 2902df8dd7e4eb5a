package io.posthorn.examples.campuscafe.order;

import java.util.UUID;

record Order(UUID id, String drink, int cups, String email, int cents, Status status) {
  enum Status {
    PLACED,
    RESERVED,
    PAID,
    CANCELLED
  }
}

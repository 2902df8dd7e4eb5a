package io.posthorn.architecture.broken.postgresql;

import java.time.Instant;

public final class Store {
  public Instant leaseEnd() {
    return Instant.now();
  }
}

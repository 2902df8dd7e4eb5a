package io.posthorn.testkit;

import io.posthorn.core.store.Store;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that counts how many calls that lock a lane run at the same time. */
final class Overlaps {
  private static final Set<String> LOCKING =
      Set.of("claim", "claimParked", "retryWaitingForCode", "settle");

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Store store;

  Overlaps(Store real) {
    this.store =
        Around.calls(
            Store.class,
            real,
            (name, call) -> {
              if (!LOCKING.contains(name)) {
                return call.proceed();
              }
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              try {
                return call.proceed();
              } finally {
                running.decrementAndGet();
              }
            });
  }

  Store store() {
    return store;
  }

  int most() {
    return most.get();
  }
}

package io.posthorn.testkit;

import io.posthorn.core.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that counts how many calls which lock a lane run at the same time. */
final class Overlaps {
  private static final Set<String> LOCKING = Set.of("claim", "claimParked", "settle");

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Store store;

  Overlaps(Store real) {
    this.store =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  boolean locks = LOCKING.contains(method.getName());
                  if (locks) {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  } finally {
                    if (locks) {
                      running.decrementAndGet();
                    }
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

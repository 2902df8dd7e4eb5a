package io.posthorn.benchmarks;

import io.posthorn.core.store.Claim;
import io.posthorn.core.store.RelayStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;

/** Records when a relay began the first claim that found messages. */
final class ClaimWatch {
  private static final long NEVER = Long.MIN_VALUE;

  private final AtomicLong began = new AtomicLong(NEVER);

  /** Returns a proxy of the store that records claims. */
  RelayStore watch(RelayStore store) {
    return (RelayStore)
        Proxy.newProxyInstance(
            RelayStore.class.getClassLoader(),
            new Class<?>[] {RelayStore.class},
            (proxy, method, arguments) -> call(store, method, arguments));
  }

  private Object call(RelayStore store, Method method, Object[] arguments) throws Throwable {
    long now = System.nanoTime();
    try {
      Object result = method.invoke(store, arguments);
      if (result instanceof Claim claim && claim.batch() != null) {
        began.compareAndSet(NEVER, now);
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  void forget() {
    began.set(NEVER);
  }

  long began() {
    return began.get();
  }
}

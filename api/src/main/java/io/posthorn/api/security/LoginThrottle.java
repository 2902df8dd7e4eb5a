package io.posthorn.api.security;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Slows guessing of passwords down: after some failures for a name or from an address, logins of it
 * are refused for a while, also with the right password. It remembers a bounded number of both.
 */
final class LoginThrottle {
  static final int FAILURES_OF_NAME = 5;
  static final int FAILURES_OF_ADDRESS = 20;
  static final Duration REFUSED_FOR = Duration.ofMinutes(1);
  private static final int REMEMBERED = 10_000;

  private static final class Failures {
    private int count;
    private long last;
  }

  private final LongSupplier nanos;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > REMEMBERED;
        }
      };

  LoginThrottle(LongSupplier nanos) {
    this.nanos = nanos;
  }

  synchronized boolean refuses(String name, String address) {
    return isFull("name " + name, FAILURES_OF_NAME)
        || isFull("address " + address, FAILURES_OF_ADDRESS);
  }

  private boolean isFull(String key, int most) {
    Failures known = failures.get(key);
    if (known != null && nanos.getAsLong() - known.last > REFUSED_FOR.toNanos()) {
      failures.remove(key);
      return false;
    }
    return known != null && known.count >= most;
  }

  synchronized void failed(String name, String address) {
    count("name " + name);
    count("address " + address);
  }

  private void count(String key) {
    Failures known = failures.computeIfAbsent(key, one -> new Failures());
    known.count++;
    known.last = nanos.getAsLong();
  }

  synchronized void succeeded(String name) {
    failures.remove("name " + name);
  }
}

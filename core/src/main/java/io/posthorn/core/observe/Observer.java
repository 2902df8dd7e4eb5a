package io.posthorn.core.observe;

/**
 * Hears of every change of state, after it is stored. Called from the relay's threads: return soon
 * and do not throw.
 */
@FunctionalInterface
public interface Observer {
  Observer NONE = event -> {};

  void on(Event event);

  /** Both hear. */
  default Observer and(Observer other) {
    return event -> {
      on(event);
      other.on(event);
    };
  }
}

package io.posthorn.core.observe;

/**
 * Is notified of every change of state, after the change is stored. Relays and subscriptions call
 * it from their own threads, so it must return soon and should not throw.
 */
@FunctionalInterface
public interface Observer {
  /** Ignores every event. */
  Observer NONE = event -> {};

  /** Receives one event. */
  void on(Event event);

  /**
   * The observer of the same program's consumers; default: this one. Metrics count relays and
   * consumers apart.
   */
  default Observer ofConsumers() {
    return this;
  }

  /** An observer that calls this one and then the other. */
  default Observer and(Observer other) {
    return new BothObservers(this, other);
  }
}

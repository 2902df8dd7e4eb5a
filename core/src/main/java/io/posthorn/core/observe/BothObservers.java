package io.posthorn.core.observe;

/** Calls one observer and then another. */
record BothObservers(Observer first, Observer second) implements Observer {
  @Override
  public void on(Event event) {
    first.on(event);
    second.on(event);
  }

  @Override
  public Observer ofConsumers() {
    return new BothObservers(first.ofConsumers(), second.ofConsumers());
  }
}

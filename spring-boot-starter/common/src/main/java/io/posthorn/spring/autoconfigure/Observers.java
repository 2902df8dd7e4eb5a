package io.posthorn.spring.autoconfigure;

import io.posthorn.core.observe.Observer;
import io.posthorn.observe.OutboxMetrics;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The application's observers, for the relay and for the bus; metrics have one for each. */
record Observers(Observer ofRelay, Observer ofBus) {
  private static final boolean METRICS =
      ClassUtils.isPresent("io.posthorn.observe.OutboxMetrics", Observers.class.getClassLoader());

  static Observers of(ListableBeanFactory beans) {
    List<Observer> all = beans.getBeanProvider(Observer.class).orderedStream().toList();
    return new Observers(combined(all.stream()), combined(all.stream().map(Observers::busSide)));
  }

  private static Observer busSide(Observer observer) {
    return METRICS && observer instanceof OutboxMetrics metrics ? metrics.inbox() : observer;
  }

  private static Observer combined(Stream<Observer> all) {
    return all.reduce(Observer::and).orElse(Observer.NONE);
  }
}

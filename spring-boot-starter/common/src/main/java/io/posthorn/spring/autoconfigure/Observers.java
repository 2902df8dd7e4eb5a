package io.posthorn.spring.autoconfigure;

import io.posthorn.core.observe.Observer;
import io.posthorn.observe.OutboxMetrics;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The beans that listen: to the relay, and to the bus, which metrics hear by another side. */
record Observers(Observer ofRelay, Observer ofBus) {
  private static final boolean METRICS =
      ClassUtils.isPresent("io.posthorn.observe.OutboxMetrics", Observers.class.getClassLoader());

  static Observers of(ListableBeanFactory beans) {
    List<Observer> all = beans.getBeanProvider(Observer.class).orderedStream().toList();
    return new Observers(together(all.stream()), together(all.stream().map(Observers::busSide)));
  }

  private static Observer busSide(Observer observer) {
    return METRICS && observer instanceof OutboxMetrics metrics ? metrics.inbox() : observer;
  }

  private static Observer together(Stream<Observer> all) {
    return all.reduce(Observer::and).orElse(Observer.NONE);
  }
}

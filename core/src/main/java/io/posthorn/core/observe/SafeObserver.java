package io.posthorn.core.observe;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.trace.LogFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application's observer, wrapped so that it cannot stop a delivery. What it throws is logged
 * and dropped: the event is already committed, and must not be processed again.
 */
public final class SafeObserver implements Observer {
  private static final Logger LOG = LoggerFactory.getLogger(SafeObserver.class);

  private final Observer observer;

  private SafeObserver(Observer observer) {
    this.observer = observer;
  }

  /** Writes the {@link MessageLog} and then calls the observer. Neither can stop a delivery. */
  public static Observer logging(Observer observer) {
    return new SafeObserver(new MessageLog().and(observer));
  }

  @Override
  public void on(Event event) {
    try {
      observer.on(event);
    } catch (RuntimeException | Error e) {
      LOG.atWarn()
          .setCause(Sanitiser.clean(e))
          .addKeyValue(LogFields.DESTINATION, event.destination())
          .log(
              "An observer failed at {}; deliveries are not affected",
              event.getClass().getSimpleName());
    }
  }
}

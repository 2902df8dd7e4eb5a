package io.posthorn.spring;

import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Puts published events that have {@link OutboxMessage} into the outbox, in the publisher's
 * transaction. Without one the publisher gets the error: the event would be lost.
 */
public final class PublishedEvents implements ApplicationListener<PayloadApplicationEvent<?>> {
  private final TransactionalOutbox outbox;

  public PublishedEvents(TransactionalOutbox outbox) {
    this.outbox = outbox;
  }

  @Override
  public void onApplicationEvent(PayloadApplicationEvent<?> event) {
    if (event.getPayload().getClass().isAnnotationPresent(OutboxMessage.class)) {
      outbox.add(event.getPayload());
    }
  }

  /** Another thread would not be in the publisher's transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}

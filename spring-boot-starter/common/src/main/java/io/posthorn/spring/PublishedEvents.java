package io.posthorn.spring;

import io.posthorn.core.message.OutboxMessage;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Adds published events with {@link OutboxMessage} to the outbox, in the publisher's transaction.
 * Without a transaction, the publisher gets an error, because the event would be lost.
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

  /** Returns false: another thread would not be in the publisher's transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}
